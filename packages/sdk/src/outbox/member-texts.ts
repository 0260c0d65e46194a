// Members of JSON objects as texts, so that an event gets a member and keeps its other bytes: parsed and
// written again, a number above 2^53 would be another. Called by numbers.ts, with valid JSON.

/** Strings, and what stands before, between and after members and values. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g;

/** Texts, the name with its quotes. */
type Member = readonly [name: string, value: string];

function membersOf(object: string): Member[] {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of object.matchAll(TOKEN)) {
    if ("}]".includes(token)) depth -= 1;
    if (depth === 0 || (depth === 1 && ":,".includes(token))) {
      texts.push(object.slice(start, index).trim());
      start = index + 1;
    }
    if ("{[".includes(token)) depth += 1;
  }
  const members: Member[] = [];
  // The first one stands before the brace; an empty object has one more.
  for (let at = 1; at + 1 < texts.length; at += 2)
    members.push([texts[at] ?? "", texts[at + 1] ?? ""]);
  return members;
}

/** The text of a value. Of members with one name the last one counts, as for JSON.parse. */
export function memberOf(object: string, name: string): string | undefined {
  return membersOf(object).findLast(([each]) => JSON.parse(each) === name)?.[1];
}

/** The object with a member, instead of others of its name. Makes an object of null. */
export function withMember(object: string, name: string, value: string): string {
  const others = membersOf(object).filter(([each]) => JSON.parse(each) !== name);
  const members = [...others, [JSON.stringify(name), value]];
  return `{${members.map((member) => member.join(":")).join(",")}}`;
}
