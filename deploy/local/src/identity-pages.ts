// The pages of the local identity provider: who logs in, and whether to log out. Called by
// identity-provider.ts. They have no script, and nothing of a request is in them.

/** Claims of one who can log in. Each text is ours, and needs no escape in HTML. */
export interface Person {
  readonly sub: string;
  readonly name: string;
  readonly email: string;
  readonly groups: readonly string[];
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:15vh auto;padding:0 1rem}" +
  "button{font:inherit;display:block;width:100%;margin:.75rem 0;padding:.75rem;cursor:pointer}";

export function logInPage(people: readonly Person[]): string {
  const buttons = people.map(
    ({ email, groups, name, sub }) =>
      `<button name="person" value="${sub}">${name}<br><small>${email}, in the group ${groups.join(", ")}</small></button>`,
  );
  return page(
    "Log in",
    "<p>This identity provider runs on your machine, and asks for no password.</p>" +
      `<form method="post">${buttons.join("")}</form>`,
  );
}

/** `form` is that of oidc-provider, without a button. */
export function confirmLogoutPage(form: string): string {
  const button = (attributes: string, text: string) =>
    `<button form="op.logoutForm"${attributes}>${text}</button>`;
  return page(
    "Log out",
    `${form}${button(' name="logout" value="yes"', "Log out here, too")}${button("", "Stay logged in here")}`,
  );
}

function page(title: string, body: string): string {
  return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>${title}</title>\
<meta name="viewport" content="width=device-width"><style>${STYLE}</style><h1>${title}</h1>${body}</html>`;
}
