// How much each long test does: the one object of rounds and durations that flows, faults and kubernetes
// read. `npm run test:faults` runs the full form, which docs/reliability.md reports; `npm test` and
// continuous integration run the short one. Chosen by the vitest configs, read with `inject("form")`. It must
// never hold a bound that a promise names: a short run promises the same.

const FULL = {
  name: "full" as "full" | "short",
  /** Ledgers of a system whose appends go through several. */
  ledgers: 3,
  /** Appends of 64 writers to one chain, and chains that 200 requests begin at once. */
  chain: { appends: 20_000, geneses: 5 },
  /** Generated events that must verify. */
  noFalseAlarm: { events: 100_000 },
  rateLimit: { bursts: 20, requests: 1_000 },
  /** Events of the accounts whose logs a third-party tool checks, and entries of the head log at least. */
  logFsck: { sizes: [1, 255, 256, 257, 70_000], epochs: 257 },
  /** Random cases of a property that names no number. */
  propertyRuns: 2_000,
  /** Random queries of each step of the search test, and of them a quarter as streams. */
  search: { queries: 150 },
  /** Random items of each mapping of intake. */
  intakeItems: { runs: 200 },
  revocation: { revocations: 200, creations: 200 },
  /** Keys in use that are revoked. */
  leases: { rounds: 50 },
  /**
   * Requests of each of 16 clients of a person, before a session or a role ends and after it. `atProvider`:
   * on a system of its own.
   */
  peopleRevocation: { each: 625, atProvider: 625 },
  /** Changes of a bundle of evidence, of which each verifier accepts none, and the reasons named at least. */
  evidence: { changes: 500, reasons: 9 },
  /** Which bytes of a Parquet file are changed, one at a time: each, or every fifth. */
  parquet: { everyByte: 1 },
  /** Keys, and as many webhooks, whose secrets are looked for. */
  secrets: { creates: 500 },
  /** Values of each of three accounts that are erased and looked for. */
  erasedValues: { values: 200 },
  changingLedgers: { rounds: 10 },
  epochKills: { rounds: 100 },
  erasureKills: { rounds: 100 },
  lifecycleKills: { rounds: 100 },
  /** How long a real witness cosigns epochs under load. */
  litewitness: { forMs: 3_600_000 },
  /** How long witness, time stamps and bucket are down. Only in the full form. */
  anchorsOutage: { forMs: 600_000 },
  serviceCrash: { rounds: 50, appends: 1_000 },
  /** Events that clients with a spool track, and transactions with an outbox, while processes are killed. */
  clientKills: {
    events: 1_000_000,
    kills: 200,
    gatewayKills: 20,
    transactions: 10_000,
    relayKills: 50,
  },
  postgresCrash: { rounds: 20, appends: 1_000 },
  /** Failovers of each kind, and how long the standby is away. */
  failover: { rounds: 3, awayMs: 30_000 },
  /** How long PostgreSQL or NATS are slow, and in how many ways. */
  slowed: { forMs: 10_000, ways: 6 },
  sharedTransactions: { rounds: 20, accounts: 20 },
  lostAcknowledgements: { cuts: 100 },
  pausedLedger: { stoppedMs: 30_000 },
  backendTermination: { forMs: 60_000 },
  rollingRestart: { requestsPerS: 300, rounds: 3 },
  fuzz: { cases: 10_000 },
  /** How long each link is faulty at least, and how many of the links are slowed and silenced. */
  networkFaults: { outageMs: 5_000, slowed: 15, swallowed: 15 },
  /** How long the disk stays full, and in how many of the ways to make it small, if there are so many. */
  disk: { fullForMs: 10_000, ways: 2 },
  overload: { forMs: 60_000 },
  /** Rounds of use, after each of which everything is eleven days older. */
  soak: { rounds: 33 },
  /** How long each attack goes on. */
  fairness: { forMs: 20_000 },
  /**
   * Events of the chain that is searched, of which nearly a segment is behind the filter index, those that
   * one export or replay is about, and how many times each request is measured.
   */
  requestCost: { events: 303_000, workEvents: 10_000, calls: 20 },
  /**
   * Events that a sink sends while dispatchers are killed and PostgreSQL crashes. `real`: the events for real
   * receivers, the time between batches of an account, and how often each receiver ends.
   */
  sinks: {
    events: 100_000,
    kills: 10,
    crashes: 4,
    real: { events: 100_000, paceMs: 100, restarts: 18 },
  },
  /** Log records that exporters of OpenTelemetry send. */
  otlpExporters: { records: 100_000 },
  /** How long a cluster is used before Annals is away, how long it is away, and then answers late. */
  kubernetesAudit: {
    forMs: 360_000,
    isChartInstalled: true,
    awayMs: 30_000,
    lateMs: 210_000,
    maxWaitS: 30,
  },
};

type Form = typeof FULL;

export const FORMS: Readonly<Record<Form["name"], Form>> = {
  full: FULL,
  short: {
    name: "short",
    ledgers: 2,
    chain: { appends: 600, geneses: 1 },
    noFalseAlarm: { events: 2_000 },
    rateLimit: { bursts: 1, requests: 300 },
    logFsck: { sizes: [1, 255, 256, 257], epochs: 1 },
    propertyRuns: 200,
    search: { queries: 12 },
    intakeItems: { runs: 50 },
    revocation: { revocations: 8, creations: 20 },
    leases: { rounds: 4 },
    peopleRevocation: { each: 50, atProvider: 10 },
    evidence: { changes: 100, reasons: 7 },
    parquet: { everyByte: 5 },
    secrets: { creates: 20 },
    erasedValues: { values: 40 },
    changingLedgers: { rounds: 2 },
    epochKills: { rounds: 6 },
    erasureKills: { rounds: 4 },
    lifecycleKills: { rounds: 4 },
    litewitness: { forMs: 20_000 },
    anchorsOutage: { forMs: 90_000 },
    serviceCrash: { rounds: 4, appends: 500 },
    clientKills: { events: 3_000, kills: 6, gatewayKills: 2, transactions: 300, relayKills: 4 },
    postgresCrash: { rounds: 2, appends: 500 },
    failover: { rounds: 1, awayMs: 4_000 },
    slowed: { forMs: 5_000, ways: 1 },
    sharedTransactions: { rounds: 2, accounts: 10 },
    lostAcknowledgements: { cuts: 10 },
    pausedLedger: { stoppedMs: 12_000 },
    backendTermination: { forMs: 5_000 },
    rollingRestart: { requestsPerS: 40, rounds: 1 },
    fuzz: { cases: 150 },
    networkFaults: { outageMs: 500, slowed: 4, swallowed: 2 },
    disk: { fullForMs: 2_000, ways: 1 },
    overload: { forMs: 5_000 },
    soak: { rounds: 6 },
    fairness: { forMs: 2_500 },
    requestCost: { events: 32_700, workEvents: 2_000, calls: 5 },
    sinks: {
      events: 5_000,
      kills: 2,
      crashes: 1,
      real: { events: 2_000, paceMs: 800, restarts: 3 },
    },
    otlpExporters: { records: 10_000 },
    kubernetesAudit: {
      forMs: 15_000,
      isChartInstalled: false,
      awayMs: 5_000,
      lateMs: 8_000,
      maxWaitS: 1,
    },
  },
};

declare module "vitest" {
  export interface ProvidedContext {
    readonly form: Form;
  }
}
