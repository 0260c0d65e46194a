// The fake gateway of the stack's tests; see fake-service.ts.

import { runFakeService } from "../../../fake-service.ts";

runFakeService(process.env, process.argv[2], ...process.argv.slice(3));
