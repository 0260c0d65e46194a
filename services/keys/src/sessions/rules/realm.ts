// What a session is for: the dashboard, or the operator's console. A session of one is none of the other.

export type Realm = "dashboard" | "operator";
