# The runtime of Workers with worker.mjs, whose address is an argument of the command.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "here", network = (allow = ["private"]))],
  sockets = [(name = "http", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
    (name = "calls.mjs", esModule = embed "calls.mjs"),
    (name = "notes.mjs", esModule = embed "notes.mjs"),
    (name = "@annals/sdk", esModule = embed "node_modules/@annals/sdk/dist/npm/index.js"),
  ],
  # Before Workers had anything of Node.
  compatibilityDate = "2024-01-01",
  bindings = [
    (name = "ANNALS_URL", fromEnvironment = "ANNALS_URL"),
    (name = "ANNALS_KEY", fromEnvironment = "ANNALS_KEY"),
    (name = "WEBHOOK_SECRET", fromEnvironment = "WEBHOOK_SECRET"),
  ],
  globalOutbound = "here",
);
