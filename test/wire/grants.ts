// Which service may call which RPC, written out a second time: a change of a service's own table (its
// access.ts) that is not made here too fails access.test.ts. It must never import that table.

export const CALLERS = ["gateway", "keys", "ledger", "export", "webhook-dispatcher"] as const;
export type Caller = (typeof CALLERS)[number];

const GATEWAY: readonly Caller[] = ["gateway"];
const LEDGER: readonly Caller[] = ["ledger"];
const EXPORT: readonly Caller[] = ["export"];
const DISPATCHER: readonly Caller[] = ["webhook-dispatcher"];

/** By service and RPC. */
export const GRANTS: Readonly<Record<string, Readonly<Record<string, readonly Caller[]>>>> = {
  keys: {
    AdmitRequests: GATEWAY,
    CreateApiKey: GATEWAY,
    ListApiKeys: GATEWAY,
    UpdateApiKey: GATEWAY,
    DeleteApiKey: GATEWAY,
    CreateWidgetToken: GATEWAY,
    ListWidgetTokens: GATEWAY,
    DeleteWidgetToken: GATEWAY,
    GetUsage: GATEWAY,
    GetSignedHead: LEDGER,
    SignEpoch: LEDGER,
    SignCheckpoint: LEDGER,
    ListRetentions: LEDGER,
  },
  ledger: {
    CreateEvents: GATEWAY,
    AppendEvents: GATEWAY,
    GetEvent: GATEWAY,
    ListEvents: ["gateway", "export"],
    ReadEvents: DISPATCHER,
    MeasureEvents: DISPATCHER,
    StreamEvents: ["export", "webhook-dispatcher"],
    VerifyChain: GATEWAY,
    GetPositions: DISPATCHER,
    ListAccounts: DISPATCHER,
    ListOutbox: DISPATCHER,
    RecordAuditEvents: ["gateway", "keys", "export", "webhook-dispatcher"],
    GetWidgetEvent: GATEWAY,
    ListWidgetEvents: GATEWAY,
    ListWidgetFilters: GATEWAY,
    GetUsage: GATEWAY,
    GetLog: ["gateway", "export"],
    GetWidgetLog: GATEWAY,
    ReadCheckpoint: ["gateway", "export"],
    ReadTile: ["gateway", "export"],
    ReadEntries: GATEWAY,
    ProveInclusion: GATEWAY,
    ProveConsistency: GATEWAY,
    ListHeads: ["gateway", "export"],
    GetCheckpointPositions: DISPATCHER,
    ListCheckpoints: DISPATCHER,
    ReadHeadLog: ["gateway", "webhook-dispatcher"],
    ListAnchorWork: DISPATCHER,
    AddAnchor: DISPATCHER,
    PlaceHold: GATEWAY,
    ReleaseHold: GATEWAY,
    ListHolds: GATEWAY,
    CreateErasure: GATEWAY,
    GetErasure: GATEWAY,
    ListErasures: GATEWAY,
    CancelErasure: GATEWAY,
    ListOpenErasures: ["webhook-dispatcher", "export"],
    ConfirmErasure: ["webhook-dispatcher", "export"],
    ReportErasureMatches: ["export"],
    GetRetention: GATEWAY,
    SetRetention: GATEWAY,
    ListLifecycles: EXPORT,
    ConfirmArchive: EXPORT,
  },
  export: {
    CreateExport: GATEWAY,
    GetExport: GATEWAY,
    ListExports: GATEWAY,
    DeleteExport: GATEWAY,
    StreamExportContent: GATEWAY,
    GetOutboxPositions: DISPATCHER,
    ListOutbox: DISPATCHER,
    ListArchives: GATEWAY,
    GetArchive: GATEWAY,
    StreamArchiveContent: GATEWAY,
    GetUsage: GATEWAY,
  },
  "webhook-dispatcher": {
    CreateWebhook: GATEWAY,
    ListWebhooks: GATEWAY,
    UpdateWebhook: GATEWAY,
    DeleteWebhook: GATEWAY,
    ListDeliveries: GATEWAY,
    TestWebhook: GATEWAY,
    ReplayDelivery: GATEWAY,
    ReplayEvents: GATEWAY,
    RotateSecret: GATEWAY,
    CreateSink: GATEWAY,
    GetSink: GATEWAY,
    ListSinks: GATEWAY,
    UpdateSink: GATEWAY,
    DeleteSink: GATEWAY,
    TestSink: GATEWAY,
    ReplaySink: GATEWAY,
    SkipSinkRecord: GATEWAY,
    GetSinkStatus: GATEWAY,
    GetUsage: GATEWAY,
  },
};

export function mayCall(service: string, rpc: string): readonly Caller[] {
  const callers = GRANTS[service]?.[rpc];
  if (callers === undefined) throw new Error(`add ${rpc} of ${service} to test/wire/grants.ts`);
  return callers;
}
