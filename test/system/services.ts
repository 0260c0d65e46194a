// The RPC services of a constellation: which process carries which, and a client of them that is
// grpc-js and nothing else. Used by the tests of this folder; it must never go through the chassis,
// whose client is not what is tested here.

import { type CertificateFiles, certificateFiles } from "@annals/certificates";
import { isPlausibleWidgetToken, keyHash } from "@annals/contract";
import type { ServiceName, Stack, StackProcess } from "@annals/local";
import { ExportsService } from "@annals/proto/exports";
import { Health } from "@annals/proto/health";
import { KeysService } from "@annals/proto/keys";
import { LedgerService } from "@annals/proto/ledger";
import { WebhooksService } from "@annals/proto/webhooks";
import {
  create,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { readFileSync } from "node:fs";
import type { SharedSystem } from "./shared-systems.ts";

/** By the name of the process. */
const SERVICES: Readonly<Partial<Record<StackProcess["service"], DescService>>> = {
  keys: KeysService,
  ledger: LedgerService,
  export: ExportsService,
  "webhook-dispatcher": WebhooksService,
};

export interface Endpoint {
  readonly process: Pick<StackProcess, "service" | "adminUrl">;
  readonly address: string;
  readonly service: DescService;
}

/**
 * Every process of the stack that answers RPCs. Throws when it carries a service that is not in the
 * table.
 */
export function endpointsOf(stack: Pick<SharedSystem, "processes">): Endpoint[] {
  return stack.processes.flatMap((process) => {
    if (process.rpcAddress === undefined) return [];
    const service = SERVICES[process.service];
    if (!service) throw new Error(`add ${process.service} to SERVICES in test/system/services.ts`);
    return [{ process, address: process.rpcAddress, service }];
  });
}

/** What a service of the stack proves itself with: PEM. */
export function filesOf(
  stack: Pick<Stack, "certificates">,
  service: ServiceName,
): Record<keyof CertificateFiles, Buffer> {
  const { ca, cert, key } = certificateFiles(stack.certificates, service);
  return { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
}

/** A stock client with the certificate of a service; `close` it. */
export function stockClient(
  { address, process }: Endpoint,
  { ca, cert, key }: Partial<ReturnType<typeof filesOf>>,
): Client {
  // It is a stock client, of which only the bound on what it sends is lifted, so that it meets the server's.
  return new Client(address, credentials.createSsl(ca ?? null, key ?? null, cert ?? null), {
    "grpc.ssl_target_name_override": `${process.service}.annals.internal`,
    "grpc.max_send_message_length": -1,
  });
}

const DEADLINE_MS = 10_000;

/** One unary call; rejects with grpc-js' ServiceError. `statement` is that of an admission. */
export async function call<M extends DescMethod>(
  client: Client,
  method: M,
  request: MessageInitShape<M["input"]>,
  statement = "",
): Promise<MessageShape<M["output"]>> {
  const bytes = toBinary(method.input, create(method.input, request));
  const answer = await callBytes(client, pathOf(method), Buffer.from(bytes), statement);
  return fromBinary(method.output, answer) as MessageShape<M["output"]>;
}

/** One unary call of any path with any bytes; rejects with grpc-js' ServiceError. */
export function callBytes(
  client: Client,
  path: string,
  request: Buffer,
  statement = "",
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const same = (bytes: Buffer): Buffer => bytes;
    const options = { deadline: Date.now() + DEADLINE_MS };
    client.makeUnaryRequest(
      path,
      same,
      same,
      request,
      metadataOf(statement),
      options,
      (error, answer) => {
        if (error || answer === undefined) reject(error ?? new Error("no answer"));
        else resolve(answer);
      },
    );
  });
}

/** One server-streaming call: its messages, to the end or to the first `atMost`, when it is cancelled. */
export function collect<M extends DescMethod>(
  client: Client,
  method: M,
  request: MessageInitShape<M["input"]>,
  { atMost = Infinity, statement = "" } = {},
): Promise<MessageShape<M["output"]>[]> {
  return new Promise((resolve, reject) => {
    const messages: MessageShape<M["output"]>[] = [];
    const stream = client.makeServerStreamRequest(
      pathOf(method),
      (message: Message) => Buffer.from(toBinary(method.input, message as never)),
      (bytes) => fromBinary(method.output, bytes) as MessageShape<M["output"]>,
      create(method.input, request) as Message,
      metadataOf(statement),
      { deadline: Date.now() + DEADLINE_MS },
    );
    stream.on("data", (message: MessageShape<M["output"]>) => {
      messages.push(message);
      if (messages.length >= atMost) stream.cancel();
    });
    stream.on("end", () => resolve(messages));
    stream.on("error", (error) => (messages.length >= atMost ? resolve(messages) : reject(error)));
  });
}

function metadataOf(statement: string): Metadata {
  const metadata = new Metadata();
  if (statement !== "") metadata.set("annals-admission", statement);
  return metadata;
}

/** The statement that `keys` makes of an API key, or of a widget token: what a gateway hands on. */
export async function admission(keys: Client, key: string): Promise<string> {
  const isWidgetToken = isPlausibleWidgetToken(key);
  const groups = [{ secretSha256: keyHash(key), count: 0, isWidgetToken }];
  const { admissions } = await call(keys, KeysService.method.admitRequests, { groups });
  return admissions[0]?.statement ?? "";
}

/** `/annals.keys.v1.KeysService/ListApiKeys` */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

export { Health, KeysService, LedgerService };
