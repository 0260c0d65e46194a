// A search that an account keeps, as tests send it. Called by the tests of saved searches.

export const PATH = "/v1/searches";
export const SEARCH = {
  name: "Failed log-ins",
  filter: {
    action: "user.*",
    outcome: "failure",
    not: { actor_id: ["u_1", "u_2"] },
    text: "203.0.",
  },
  view: { range: "30d", columns: ["action", "actor"], by: "outcome" },
};
