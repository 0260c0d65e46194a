// The process of an attack, so that the attacker and the other account's client do not wait for each other.
// Started and ended by under-attack.ts. The module that it is told exports `attack`.

interface Order {
  readonly module: string;
  readonly target: unknown;
}

process.on("message", ({ module, target }: Order) => {
  void import(module).then(({ attack }: { readonly attack: (target: unknown) => unknown }) => {
    attack(target);
    process.send?.("begun");
  });
});
process.on("disconnect", () => process.exit());
