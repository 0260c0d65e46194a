// Guarantee: values that cannot work, or that are misspelled, are refused with a sentence that names them.
// golden.test.ts says where helm is not there.

import { describe, expect, test } from "vitest";
import { CHART, findHelm, render } from "../../deploy/generate/chart-renderings.ts";

const HELM = [findHelm(process.env)].filter((helm) => helm !== undefined);

/** What is set, and what the refusal says: beside no values, or those of a file in helm/annals/ci. */
const ALONE = `
gateway.autoscaling={"enabled":true,"minReplicas":9,"maxReplicas":3} -> minReplicas is 9, above gateway.autoscaling.maxReplicas, which is 3
keys.autoscaling={"enabled":true,"targetCPUUtilizationPercentage":null} -> keys.autoscaling needs targetCPUUtilizationPercentage
export.replicas=null -> need export.s3.url
podMonitor.enabled=true -> networkPolicy.metrics.from is required with podMonitor.enabled
serviceMonitor.enabled=true -> networkPolicy.metrics.from is required with serviceMonitor.enabled
httpRoute.enabled=true -> httpRoute.parentRefs is required
ingress.enabled=true -> ingress.host is required
podMonitor.interval="30" -> podMonitor/interval
serviceMonitor.interval="half a minute" -> serviceMonitor/interval
httpRoute.timeouts.request=600 -> httpRoute/timeouts/request
image.digest="sha256:abc" -> image/digest
postgresql.storage="ten gigabytes" -> postgresql/storage
gateway.resources.limits.memory="512 MB" -> gateway/resources/limits/memory
gateway.resources.limit={} -> limit
gateway.autoscaling.podMetrics={"m":"many"} -> podMetrics
gateway.autoscaling.minReplicas=0 -> minReplicas
pod.extraEnv=[{"name":"ANNALS_PORT","value":"1"}] -> pod/extraEnv/0/name
pod.extraSpec={"hostNetwork":true} -> invalid propertyName 'hostNetwork'
gateway.service.type="ExternalName" -> gateway/service/type
gateway.service.loadBalancerSourceRanges=["192.0.2.0/24"] -> loadBalancerSourceRanges needs gateway.service.type LoadBalancer
gateway.service.externalTrafficPolicy="Local" -> externalTrafficPolicy needs gateway.service.type NodePort or LoadBalancer
gateway.service.nodePort=30080 -> gateway.service.nodePort needs gateway.service.type NodePort or LoadBalancer
pod.livenessProbe={"failureThreshold":0} -> pod/livenessProbe/failureThreshold
pod.livenessProbe={"httpGet":{}} -> httpGet
keys.pod.updateStrategy={"type":"OnDelete"} -> keys/pod/updateStrategy/type
pod.startupSeconds=1 -> pod/startupSeconds
keys.pod.nodeselector={} -> nodeselector
pod.topologySpreadConstraints=[{"topologyKey":"z"}] -> maxSkew
nameOverride="Annals!" -> nameOverride
extraObjects=[1] -> extraObjects
dashboards.enable=true -> enable
migrate.waitSeconds=-1 -> migrate/waitSeconds
keys.replicas="two" -> keys/replicas
identity.file.secret="i" networkPolicy.enabled=false -> identity.publicUrl is required with identity.file
identity.file.secret="i" identity.publicUrl="https://a.example" -> networkPolicy.identityProviders.peers is required
identity.publicUrl="https://a.example/annals" -> identity/publicUrl
identity.publicUrl="http://a.example" -> identity/publicUrl
networkPolicy.identityProviders.ports=[] -> networkPolicy/identityProviders/ports
keys.settings.ANNALS_IDENTITY_FILE="/i" -> ANNALS_IDENTITY_FILE
sinks=[{"name":"a","accounts":"all","type":"s3","config":{}},{"name":"a","accounts":"all","type":"s3","config":{}}] -> a must be unique
sinks=[{"name":"a","accounts":"all","type":"splunk_hec","config":{"token":"t"}}] -> config.token of a is a secret
sinks=[{"name":"a","accounts":"acct_1","type":"syslog","config":{}}] -> sinks/0/accounts
sinks=[{"name":"a","accounts":"all","type":"syslog","config":{},"leave_out":["hash"]}] -> sinks/0/leave_out/0
sinks=[{"name":"a","accounts":"all","type":"syslog","config":{},"secrets":{"url":{"secret":"s"}}}] -> invalid propertyName 'url'
postgresql.enabled=false -> networkPolicy.postgresql.peers is required`;
const WITH_MINIMAL = `
networkPolicy.postgresql.peers=[] -> networkPolicy.postgresql.peers is required
networkPolicy.dns.peers=[] -> networkPolicy.dns.peers is required
image.repository="" -> image.repository is required
postgresql.enabled=true -> postgresql.enabled is true, and keys.databaseUrl names
keys.databaseUrl.secret="" -> keys.databaseUrl.secret is required
export.s3.url="s3://b" -> networkPolicy.s3.peers is required
export.s3.url="https://b.example" -> export/s3/url
evidence.bucket.url="s3://b/prefix" -> evidence/bucket/url
keys.settings.ANNALS_DATABASE_URL="x" -> ANNALS_DATABASE_URL
gateway.settings.ANNALS_KEY_PREFIX="x" -> ANNALS_KEY_PREFIX
gatewy.replicas=2 -> gatewy
keys.adminApi.tokens.secret="t" -> keys.adminApi.from is required
keys.adminApi.operatorUrl="https://o.example.com" keys.adminApi.from=[{"podSelector":{}}] -> identity.file.secret is required
tls.existingSecrets.keys="mine" -> tls.existingSecrets must name a Secret for every service
podMonitor.enabled=true serviceMonitor.enabled=true networkPolicy.metrics.from=[{"podSelector":{}}] -> every pod would be scraped twice
tests.webhook=true webhookDispatcher.caBundle.configMap="ca" -> tests.webhook and webhookDispatcher.caBundle are both set`;
const WITH_FULL = `
tests.webhook=true -> tests.webhook needs certificates`;

const linesOf = (table: string) => table.trim().split("\n");
const CASES: readonly (readonly [line: string, values: readonly string[]])[] = [
  ...linesOf(ALONE).map((line) => [line, []] as const),
  ...linesOf(WITH_MINIMAL).map((line) => [line, [`${CHART}/ci/minimal-values.yaml`]] as const),
  ...linesOf(WITH_FULL).map((line) => [line, [`${CHART}/ci/full-values.yaml`]] as const),
];

test("each line has what is set and what the refusal says", () => {
  for (const [line] of CASES) expect(line).toMatch(/^\w.*[^ ] -> \w/);
});

describe.each(HELM)("refused by %s", (helm) => {
  test.each(CASES)("%s", (line, values) => {
    const [sets = "", sentence] = line.split(" -> ");
    const given = sets.split(/ (?=\w+\.)/).flatMap((set) => ["--set-json", set]);
    expect(() => render(helm, values, ...given)).toThrow(sentence);
  });
});
