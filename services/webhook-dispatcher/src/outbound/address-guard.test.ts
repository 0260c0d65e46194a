// Guarantee: no URL of a private or special address passes, however it is written; and a connection is opened
// only to an address that was checked, whatever the resolver answers before or after. The canary server gets
// no connection.

import { createServer, type AddressInfo, type Server } from "node:net";
import { systemClock } from "@annals/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPublicAddress } from "./addresses.ts";
import { AddressGuard, hostOf, UrlFault } from "./address-guard.ts";
import { Sender } from "./sender.ts";

const noResolver = () => Promise.reject(new Error("no resolver is asked"));
const guard = new AddressGuard({ resolve: noResolver, allowPrivateAddresses: false });

/** Hosts of URLs, as an attacker may write them. */
const REFUSED_HOSTS = [
  // IPv4, special ranges from end to end
  "0.0.0.0",
  "0.255.255.255",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.0",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.168.255.255",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  // IPv4, other spellings
  "2130706433",
  "0x7f000001",
  "017700000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "127.1",
  "127.0.1",
  "0",
  "0x0",
  "0300.0250.0.1",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "169.16689662",
  "10.1",
  "3232235521",
  "127.0.0.1.",
  "127.1.",
  "１２７.0.0.1",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "%31%32%37.0.0.1",
  "0X7F.1",
  // IPv6
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000::0001]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::ffff:10.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[::ffff:0:127.0.0.1]",
  "[::ffff:8.8.8.8]",
  "[::127.0.0.1]",
  "[::10.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a00:1]",
  "[64:ff9b::169.254.169.254]",
  "[64:ff9b:1::1]",
  "[64:ff9b:1:ffff::8.8.8.8]",
  "[100::1]",
  "[100:0:0:1::1]",
  "[2001::1]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  "[2001:10::1]",
  "[2001:20::1]",
  "[2001:2::1]",
  "[2001:1ff:ffff::1]",
  "[2001:db8::1]",
  "[2002:7f00:1::1]",
  "[2002:a00:1::1]",
  "[2002:808:808::1]",
  "[2620:4f:8000::1]",
  "[3fff::1]",
  "[3fff:fff::1]",
  "[5f00::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fdff::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[feff::1]",
  "[ff02::1]",
  "[ff0e::1]",
  "[4000::1]",
  "[fe80::1%25eth0]",
  "[fe80::1%eth0]",
  // names
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "a.localhost.",
  "printer.local",
  "x.internal",
  "metadata.google.internal",
  "metadata.google.internal.",
  "router.lan",
  "x.localdomain",
  "x.home.arpa",
  "ｌocalhost",
];

const REFUSED_URLS = [
  "http://example.com/",
  "ftp://example.com/",
  "example.com",
  "//example.com",
  "https:example.com",
  "https:/example.com",
  "https:\\\\example.com",
  "https:///example.com",
  "https://",
  "https://?",
  "https://exa mple.com",
  "https://example.com/\n",
  " https://example.com",
  "https://example.com\t",
  "https://example.com:0/",
  "https://example.com:65536/",
  "https://user@example.com/",
  "https://user:pass@example.com/",
  "https://@example.com/",
  "https://:@example.com/",
  "https://example.com@127.0.0.1/",
  "https://127.0.0.1\\@example.com/",
  "https://example.com%00.evil/",
  "javascript:alert(1)",
  "https://[::1",
  "https://1.2.3.4.5/",
  "https://256.1.1.1/",
  "https://ex\u0000ample.com/",
  `https://example.com/${"a".repeat(2_029)}`,
];

describe("at create and update", () => {
  test("there are many forms", () => {
    expect(new Set(REFUSED_HOSTS).size).toBe(REFUSED_HOSTS.length);
    expect(REFUSED_HOSTS.length).toBeGreaterThanOrEqual(110);
  });

  test.each(REFUSED_HOSTS)("https://%s/ is refused", (host) => {
    expect(() => guard.readUrl(`https://${host}/hook`)).toThrow(UrlFault);
    expect(() => guard.readUrl(`https://${host}:8443/hook`)).toThrow(UrlFault);
  });

  test.each(REFUSED_URLS)("%j is refused", (url) => {
    expect(() => guard.readUrl(url)).toThrow(UrlFault);
  });

  test.each([
    "https://example.com",
    "HTTPS://EXAMPLE.com/x?y#z",
    "https://example.com.:8443/",
    "https://8.8.8.8/",
    "https://[2606:4700::1111]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://localhost.example.com/",
    "https://bücher.example/",
    "https://example.com:1/",
    "https://127.0.0.1.example.com/",
    `https://example.com/${"a".repeat(2_028)}`,
  ])("%s passes", (url) => {
    expect(guard.readUrl(url).protocol).toBe("https:");
  });

  test("a host has neither brackets nor a dot at its end", () => {
    expect(hostOf(new URL("https://[2606:4700::1111]/"))).toBe("2606:4700::1111");
    expect(hostOf(new URL("https://Example.com./"))).toBe("example.com");
  });

  test("text that is no address is not public", () => {
    for (const text of ["", "1.2.3", "01.2.3.4", "::g", "localhost"]) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });
});

describe("at the connection", () => {
  let canary: Server;
  let port: number;
  let connections = 0;

  beforeAll(async () => {
    canary = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    port = (canary.address() as AddressInfo).port;
  });
  afterAll(() => canary.close());

  const send = async (url: string, addresses: readonly string[], isOpen = false) => {
    const one = new AddressGuard({
      resolve: async () =>
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      allowPrivateAddresses: isOpen,
    });
    const sender = new Sender({
      guard: one,
      clock: systemClock(),
      timeoutMs: 300,
      extraAuthorities: undefined,
    });
    const body = Buffer.from("{}");
    const result = await sender.send({
      accountId: "acct_1",
      url,
      secret: "whsec_eA==",
      payloadId: "wh_evt_1",
      body,
    });
    sender.close();
    return result;
  };

  test.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "127.0.0.1"]],
    [["2606:4700::1111", "::1"]],
    [["10.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["fe80::1%eth0"]],
    [["0.0.0.0"]],
    [["not an address"]],
    [[]],
  ])("a name that resolves to %j: no connection", async (addresses) => {
    const { outcome } = await send(`https://hooks.example.com:${port}/`, addresses);
    expect([outcome, connections]).toEqual(["address", 0]);
  });

  test.each(["127.0.0.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "localhost", "0"])(
    "a stored URL with the host %s: no connection",
    async (host) => {
      const { outcome } = await send(`https://${host}:${port}/`, ["127.0.0.1"]);
      expect([outcome, connections]).toEqual(["address", 0]);
    },
  );

  test("control: without the guard the canary is reached", async () => {
    const { outcome } = await send(`https://hooks.example.com:${port}/`, ["127.0.0.1"], true);
    expect(outcome).not.toBe("address");
    expect(connections).toBeGreaterThan(0);
  });
});
