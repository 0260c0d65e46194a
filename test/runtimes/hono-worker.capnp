# The runtime of Workers with hono-bundle.mjs, whose address is an argument of the command.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "here", network = (allow = ["private"]))],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "hono-bundle.mjs", esModule = embed "hono-bundle.mjs")],
  compatibilityDate = "2024-01-01",
  compatibilityFlags = ["nodejs_als"],
  bindings = [
    (name = "ANNALS_URL", fromEnvironment = "ANNALS_URL"),
    (name = "ANNALS_KEY", fromEnvironment = "ANNALS_KEY"),
  ],
  globalOutbound = "here",
);
