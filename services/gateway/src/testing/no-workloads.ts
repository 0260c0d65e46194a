// What keys answers to tokens of workloads where there are none. Imported by tests only.

import { AnnalsError } from "@annals/errors";

export const NO_WORKLOADS = {
  registerWorkloadToken: (): Promise<never> =>
    Promise.reject(new AnnalsError("unauthenticated", "There are no workloads.")),
};
