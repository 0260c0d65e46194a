// Maps an item of an EventList of audit.k8s.io/v1, as a kube-apiserver posts it, to an event
// (docs/intake.md). Called by store-kubernetes-audit.ts. Users of the cluster choose much of an
// item: names, paths, headers, and the objects of their requests. None of that must keep the action out of
// the log.

import {
  JsonFault,
  type JsonObject,
  type JsonValue,
  type LooselyRead,
  readJsonLoosely,
  readJsonLooselyInPieces,
  type ReadLimits,
} from "@annals/event";
import { parseTimestamp, PIECE_BYTES, type Work } from "@annals/contract";
import { fitEvent, fitText, type LargePath, omittedBytes, present } from "./fit-event.ts";
import { type IntakeItem, type MappedEvent, type Outcome, Rejection } from "./item.ts";
import { type Members, membersInPieces, membersOf } from "./json-slices.ts";
import { actionOf, fitted, targetOf, textIn, typeOfUser } from "./kubernetes-names.ts";
import { maskObject, type Secrecy, secrecyOf } from "./mask-kubernetes.ts";

export interface KubernetesOptions {
  /** Bytes of an event in canonical form. */
  readonly maxBytes: number;
  /** Levels of an event, of which its objects have two less. */
  readonly maxDepth: number;
  /** Members and elements of one value of an item. */
  readonly maxValues: number;
  /** Replaces what is secret. */
  readonly mask?: typeof maskObject;
}

/** A request has each stage once: these two end it, and the others say only that it goes on. */
const FINAL = ["ResponseComplete", "Panic"];
const STARTED = "ResponseStarted";
const PASSING = ["RequestReceived", STARTED];
/** The API server records refused credentials in this stage alone, without a user. */
const UNAUTHENTICATED = 401;

/** What is replaced by its size and hash if an event is too large, in this order. */
const LARGE: readonly LargePath[] = [
  ["metadata", "response_object"],
  ["metadata", "request_object"],
  ["metadata", "annotations"],
  ["actor", "meta", "impersonated"],
  ["actor", "meta", "extra"],
  ["actor", "meta", "groups"],
  ["context", "ips"],
];

/** Levels of the event and of the part around an object. */
const LEVELS_AROUND = 2;
/** Characters of texts that may be longer than an id; together they fit an event in any script. */
const MAX_NAME = 1_000;
const MAX_URI = 3_000;
/** Below this part of the limit an item is not measured: canonical JSON may be longer, but not by so much. */
const MEASURED_PART = 8;
const FAILURE_FROM = 400;
const NULL = Buffer.from("null");

/** Maps the bytes of an item. Yields between its values, and within large ones. Never throws. */
export function* mapKubernetes(bytes: Buffer, options: KubernetesOptions): Work<IntakeItem> {
  try {
    return yield* new Item(yield* membersInPieces(bytes), options).map(bytes.length);
  } catch (error) {
    if (error instanceof Rejection) return { rejected: error.message };
    if (error instanceof JsonFault)
      return { rejected: "must be a JSON object with distinct members" };
    throw error;
  }
}

class Item {
  readonly #members: Members;
  readonly #options: KubernetesOptions;
  /** What has been read of members that are large, or why one cannot be. */
  readonly #large = new Map<Buffer, LooselyRead | JsonFault>();
  #ofUser: Members | undefined;
  #ofImpersonated: Members | undefined;
  #isAltered = false;
  #isReduced = false;

  constructor(members: Members, options: KubernetesOptions) {
    this.#members = members;
    this.#options = options;
  }

  *map(length: number): Work<IntakeItem> {
    const stage = this.#text("stage");
    const isPassing = stage !== undefined && PASSING.includes(stage);
    if (isPassing && !this.#isRefusedUser(stage)) return { skipped: `stage ${stage}` };
    if (stage === undefined || !(isPassing || FINAL.includes(stage)))
      throw new Rejection(`stage must be one of ${[...FINAL, ...PASSING].join(", ")}`);
    const auditId = this.#text("auditID");
    if (auditId === undefined) throw new Rejection("auditID is required");
    const isLarge = length > this.#options.maxBytes / MEASURED_PART;
    if (isLarge) yield* this.#readLarge();
    const event = this.#event(stage, fitText(auditId));
    yield;
    const isReduced = isLarge && (yield* fitEvent(event, LARGE, this.#options.maxBytes));
    return {
      event,
      // The client of the API server may choose the id of its request.
      idempotencyKey: `${fitText(auditId, 128)}:${stage}`,
      isKeyOfContent: true,
      isReduced: isReduced || this.#isReduced,
    };
  }

  /** Reads what is large in pieces, before the event is made of it. */
  *#readLarge(): Work<void> {
    for (const members of [this.#members, this.#user, this.#impersonated])
      for (const bytes of members.values()) {
        if (bytes.length <= PIECE_BYTES || this.#large.has(bytes)) continue;
        try {
          const work = readJsonLooselyInPieces(bytes, this.#limits, PIECE_BYTES);
          this.#large.set(bytes, yield* work);
        } catch (error) {
          if (!(error instanceof JsonFault)) throw error;
          this.#large.set(bytes, error);
        }
      }
  }

  #event(stage: string, auditId: string): MappedEvent {
    const reference = this.#object("objectRef");
    const uri = this.#text("requestURI");
    const verb = this.#text("verb");
    if (verb === undefined) throw new Rejection("verb is required");
    const occurredAt = this.#text("requestReceivedTimestamp");
    if (occurredAt !== undefined && parseTimestamp(occurredAt) === undefined)
      throw new Rejection("requestReceivedTimestamp must be a time");
    return {
      action: actionOf(reference, verb),
      actor: this.#actor(),
      target: targetOf(reference, uri),
      context: this.#context(uri),
      metadata: this.#metadata(stage, auditId, reference),
      ...(occurredAt !== undefined && { occurred_at: occurredAt }),
    };
  }

  #isRefusedUser(stage: string): boolean {
    if (stage !== STARTED || this.#text("username", this.#user) !== undefined) return false;
    return this.#object("responseStatus")?.["code"] === UNAUTHENTICATED;
  }

  #actor(): JsonObject {
    const [user, impersonated] = [this.#user, this.#impersonated];
    const name = this.#text("username", user);
    const id = name === undefined ? undefined : fitText(name);
    const as = present({
      user: fitted(this.#text("username", impersonated)),
      groups: this.#free("groups", impersonated),
    });
    const meta = present({
      name: id === name ? undefined : fitted(name, MAX_NAME),
      uid: fitted(this.#text("uid", user)),
      groups: this.#free("groups", user),
      extra: this.#free("extra", user),
      impersonated: impersonated.size > 0 ? as : undefined,
    });
    return present({
      id,
      type: name === undefined ? undefined : typeOfUser(name),
      meta: Object.keys(meta).length > 0 ? meta : undefined,
    });
  }

  #context(uri: string | undefined): JsonObject {
    const ips = this.#read("sourceIPs");
    const [first] = Array.isArray(ips) ? ips : [];
    return present({
      ip: typeof first === "string" ? fitText(first) : undefined,
      ips: Array.isArray(ips) ? ips : undefined,
      user_agent: fitted(this.#text("userAgent"), MAX_NAME),
      request_uri: fitted(uri, MAX_URI),
    });
  }

  #metadata(stage: string, auditId: string, reference: JsonObject | undefined): JsonObject {
    const status: JsonObject = this.#object("responseStatus") ?? {};
    const code = typeof status["code"] === "number" ? status["code"] : undefined;
    const secrecy = secrecyOf(
      textIn(reference ?? {}, "resource", "objectRef")?.toLowerCase(),
      textIn(reference ?? {}, "subresource", "objectRef")?.toLowerCase(),
    );
    const metadata = {
      audit_id: auditId,
      stage,
      level: fitted(this.#text("level")),
      status_code: code,
      outcome: outcomeOf(stage, code),
      reason: fitted(textIn(status, "reason", "responseStatus")),
      annotations: this.#free("annotations"),
      request_object: this.#recorded("requestObject", secrecy),
      response_object: this.#recorded("responseObject", secrecy),
    };
    return present({ ...metadata, annals_altered: this.#isAltered ? true : undefined });
  }

  /** A value of any names, which users may choose. */
  #free(name: string, members = this.#members): JsonValue | undefined {
    return this.#kept(name, (value) => value, omittedBytes, members);
  }

  /** An object that a client has sent, or that it got. */
  #recorded(name: string, secrecy: Secrecy): JsonValue | undefined {
    const { mask = maskObject } = this.#options;
    // Not even a hash of what may be secret: it was not read, and so not masked.
    const unread = (bytes: Buffer): JsonValue => ({ annals_omitted: { bytes: bytes.length } });
    return this.#kept(name, (value) => mask(value, secrecy), unread);
  }

  /** A value, or what stands for one that cannot be kept: it nests too deep, or has a name twice. */
  #kept(
    name: string,
    render: (value: JsonValue) => JsonValue,
    unread: (bytes: Buffer) => JsonValue,
    members = this.#members,
  ): JsonValue | undefined {
    const bytes = members.get(name);
    if (!bytes) return undefined;
    try {
      return render(this.#readBytes(bytes));
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      this.#isReduced = true;
      return unread(bytes);
    }
  }

  get #user(): Members {
    return (this.#ofUser ??= this.#parts("user"));
  }

  get #impersonated(): Members {
    return (this.#ofImpersonated ??= this.#parts("impersonatedUser"));
  }

  /** The members of an object, each of which is read for itself. */
  #parts(name: string): Members {
    const bytes = this.#members.get(name);
    if (!bytes || bytes.equals(NULL)) return new Map();
    try {
      return membersOf(bytes);
    } catch (error) {
      if (error instanceof JsonFault) throw new Rejection(`${name} must be an object`);
      throw error;
    }
  }

  #text(name: string, members = this.#members): string | undefined {
    const value = this.#read(name, members);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw new Rejection(`${name} must be a string`);
    return value;
  }

  #object(name: string): JsonObject | undefined {
    const value = this.#read(name);
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "object" || Array.isArray(value))
      throw new Rejection(`${name} must be an object`);
    return value;
  }

  #read(name: string, members = this.#members): JsonValue | undefined {
    const bytes = members.get(name);
    if (!bytes) return undefined;
    try {
      return this.#readBytes(bytes);
    } catch (error) {
      if (error instanceof JsonFault) throw new Rejection(`${name} must be JSON that can be kept`);
      throw error;
    }
  }

  get #limits(): ReadLimits {
    const { maxDepth, maxValues } = this.#options;
    return { maxDepth: maxDepth - LEVELS_AROUND, maxValues };
  }

  #readBytes(bytes: Buffer): JsonValue {
    const read = this.#large.get(bytes) ?? readJsonLoosely(bytes, this.#limits);
    if (read instanceof JsonFault) throw read;
    const { isAltered, value } = read;
    if (isAltered) this.#isAltered = true;
    return value;
  }
}

function outcomeOf(stage: string, code: number | undefined): Outcome {
  if (stage === "Panic") return "failure";
  if (code === undefined) return "unknown";
  return code >= FAILURE_FROM ? "failure" : "success";
}
