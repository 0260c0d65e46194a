// The notes of a release page: the section of CHANGELOG.md, whose relative links are made absolute, as they
// would lead nowhere there. Called by main.ts. It must never change another link.

/** `home` is the address of the repository. The links lead to its files as they are in the release. */
export function releaseNotes(section: string, version: string, home: string): string {
  const files = `${home}/blob/v${version}/`;
  return section.replaceAll(/\]\((?![a-z][a-z\d+.-]*:)([^)\s]+)\)/gi, (_link, target: string) => {
    const path = target.startsWith("#") ? `CHANGELOG.md${target}` : target;
    return `](${files}${path})`;
  });
}
