// What an event of a kube-apiserver is called: its action, its target, and the type of its actor
// (docs/kubernetes-audit.md). Called by map-kubernetes.ts. Users of the cluster choose names, so each is
// shortened to what an event takes, and never refused for its length.

import type { JsonObject } from "@annals/event";
import { fitText, present } from "./fit-event.ts";
import { Rejection } from "./item.ts";

export function actionOf(reference: JsonObject | undefined, verb: string): string {
  if (!reference) return fitText(`kubernetes.nonresource.${verb}`);
  const [resource, subresource] = ["resource", "subresource"].map((name) =>
    textIn(reference, name, "objectRef"),
  );
  const steps = ["kubernetes", resource ?? "unknown", subresource, verb];
  return fitText(steps.filter((step) => step !== undefined).join("."));
}

export function targetOf(reference: JsonObject | undefined, uri: string | undefined): JsonObject {
  if (!reference) {
    const path = uri?.split("?")[0];
    return present({ type: "nonresource", id: path ? fitText(path) : undefined });
  }
  const text = (name: string): string | undefined => textIn(reference, name, "objectRef");
  const [group, name, namespace, resource] = [
    text("apiGroup"),
    text("name"),
    text("namespace"),
    text("resource") ?? "unknown",
  ];
  const id = name !== undefined && namespace !== undefined ? `${namespace}/${name}` : name;
  return {
    type: fitText(group === undefined ? resource : `${resource}.${group}`),
    ...present({ id: id === undefined ? undefined : fitText(id) }),
    meta: present({
      namespace: fitted(namespace),
      name: fitted(name),
      uid: fitted(text("uid")),
      subresource: fitted(text("subresource")),
      api_version: fitted(text("apiVersion")),
    }),
  };
}

export function typeOfUser(name: string): string {
  if (name.startsWith("system:serviceaccount:")) return "service_account";
  if (name.startsWith("system:node:")) return "node";
  return name.startsWith("system:") ? "system" : "user";
}

/** A text that is not empty. Throws {@link Rejection} for a value of another kind. */
export function textIn(object: JsonObject, name: string, of: string): string | undefined {
  const value = object[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new Rejection(`${of}.${name} must be a string`);
  return value;
}

export const fitted = (text: string | undefined, max?: number): string | undefined =>
  text === undefined ? undefined : fitText(text, max);
