// Sets how many random cases a property has that names no number. Runs before each test file.

import fc from "fast-check";
import { inject } from "vitest";

fc.configureGlobal({ numRuns: inject("form").propertyRuns });
