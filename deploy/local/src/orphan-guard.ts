// A small shell process that ends after the stack. When the stack's process ends without stopping its
// children (a SIGKILL, a crash), the guard's input ends, and the guard stops them. Called by stack.ts. It
// must never stop anything while the stack runs.

import { spawn } from "node:child_process";

/** Pause between two checks, in seconds, and checks before SIGKILL. PostgreSQL never gets SIGKILL. */
const POLL_SECONDS = 0.2;
const POLLS = 25;

/**
 * Reads `add <pid> <signal>`, `remove <pid>` and `done`. At the end of its input it sends each
 * process its signal, and SIGKILL after the grace to those whose signal was TERM.
 */
const SCRIPT = `
list=' '
while read -r verb pid signal; do
  case $verb in
    add) list="$list$signal:$pid " ;;
    remove)
      kept=' '
      for item in $list; do [ "\${item#*:}" = "$pid" ] || kept="$kept$item "; done
      list=$kept ;;
    done) exit 0 ;;
  esac
done
for item in $list; do kill -s "\${item%%:*}" "\${item#*:}" 2>/dev/null; done
polls=0
while [ $polls -lt ${POLLS} ]; do
  alive=0
  for item in $list; do kill -s 0 "\${item#*:}" 2>/dev/null && alive=1; done
  [ $alive -eq 1 ] || exit 0
  sleep ${POLL_SECONDS}
  polls=$((polls + 1))
done
for item in $list; do
  case $item in TERM:*) kill -s KILL "\${item#*:}" 2>/dev/null ;; esac
done
`;

export interface OrphanGuard {
  /** Adds a process that must not outlive the stack, and the signal (without SIG) that stops it cleanly. */
  add(pid: number, signal: "TERM" | "INT"): void;
  /** Removes a process that has ended, before its id can be reused. */
  remove(pid: number): void;
  /** Ends the guard: nothing is left to stop. */
  close(): void;
}

/**
 * Starts the guard, in a session of its own so that a signal to the stack's process group does not
 * reach it.
 */
export function startOrphanGuard(): OrphanGuard {
  const child = spawn("/bin/sh", ["-c", SCRIPT], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const { stdin } = child;
  // Without the guard only the cleanup after a crash is missing, and the next start cleans up too.
  child.on("error", () => {});
  stdin.on("error", () => {});
  child.unref();
  return {
    add: (pid, signal) => void stdin.write(`add ${pid} ${signal}\n`),
    remove: (pid) => void stdin.write(`remove ${pid}\n`),
    close: () => void stdin.end("done\n"),
  };
}
