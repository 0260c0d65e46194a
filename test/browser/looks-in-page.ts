// Functions that run in a page, as one script. Called by looks.ts alone. They must never use a name of this
// module that is not among the helpers: the page has only their text.

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const CONTROLS = "a[href], button, input, select, textarea, summary, [role=button]";
/** Controls whose look is the browser's own. */
const NATIVE = "[type=checkbox], [type=radio], [type=file]";

/** Elements of the page and of its open shadow trees. */
function all(root: ParentNode = document): Element[] {
  return [...root.querySelectorAll("*")].flatMap((it) => [
    it,
    ...(it.shadowRoot ? all(it.shadowRoot) : []),
  ]);
}

function parentOf(it: Element): Element | null {
  if (it.assignedSlot) return it.assignedSlot;
  if (it.parentElement) return it.parentElement;
  const root = it.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

function lineage(it: Element | null): Element[] {
  return it ? [it, ...lineage(parentOf(it))] : [];
}

/** Whether people see it: what is for screen readers alone is clipped to nothing. */
function isSeen(it: Element): boolean {
  const { width, height } = it.getBoundingClientRect();
  const isShown = it.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isClipped = lineage(it).some((one) => getComputedStyle(one).clipPath !== "none");
  return isShown && width > 1 && height > 1 && !isClipped;
}

function named(it: Element): string {
  const html = it.outerHTML.replaceAll(/<!--.*?-->|\s+/g, " ");
  return html.slice(0, 160);
}

function colourOf(text: string): Colour {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("There is no canvas.");
  canvas.fillStyle = text;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue, alpha / 255];
}

function over([red, green, blue, alpha]: Colour, below: Colour): Colour {
  const mix = (top: number, under: number) => top * alpha + under * (1 - alpha);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
}

/** What is behind the text of an element: its own background over those of its ancestors. */
function backdropOf(it: Element | null): Colour {
  const white: Colour = [255, 255, 255, 1];
  const layers = lineage(it).map((one) => colourOf(getComputedStyle(one).backgroundColor));
  return layers.reduceRight((below, layer) => over(layer, below), white);
}

function luminance([red, green, blue]: Colour): number {
  const linear = (channel: number) => {
    const value = channel / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** The contrast ratio of WCAG. */
function contrast(one: Colour, other: Colour): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Texts that something hides a part of. A line that ends in an ellipsis may be shortened, a time may not. */
function cutTexts(): string[] {
  const texts = all().filter(
    (it) => isSeen(it) && [...it.childNodes].some((one) => one instanceof Text && one.data.trim()),
  );
  return texts.filter((it) => isCut(it)).map((it) => named(it));
}

function isCut(it: Element): boolean {
  const range = document.createRange();
  range.selectNodeContents(it);
  const text = range.getBoundingClientRect();
  const isTime = lineage(it).some((one) => one.matches("time"));
  const scrolls = (one: Element) => /auto|scroll/.test(getComputedStyle(one).overflow);
  const boxes = lineage(it);
  const scroller = boxes.findIndex((one) => scrolls(one));
  let isShortened = false;
  // What is outside of a scroller comes into sight by scrolling.
  return (scroller === -1 ? boxes : boxes.slice(0, scroller)).some((one) => {
    const { overflowX, overflowY, textOverflow, display } = getComputedStyle(one);
    if (display === "inline") return false;
    const box = one.getBoundingClientRect();
    isShortened ||= textOverflow === "ellipsis" && !isTime;
    const isWide = text.left < box.left - 1 || text.right > box.right + 1;
    const isHigh = text.top < box.top - 1 || text.bottom > box.bottom + 1;
    const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
    return (hides(overflowX) && isWide && !isShortened) || (hides(overflowY) && isHigh);
  });
}

/** Controls that the pointer does not reach where they are. */
function coveredControls(): string[] {
  const controls = all().filter((it) => it.matches(CONTROLS) && isSeen(it));
  return controls.filter((it) => isCovered(it)).map((it) => named(it));
}

function isCovered(it: Element): boolean {
  it.scrollIntoView({ block: "center", inline: "center" });
  const [box] = [...it.getClientRects()];
  if (!box) return false;
  const at = [box.left + box.width / 2, box.top + box.height / 2] as const;
  let hit = document.elementFromPoint(...at);
  while (hit?.shadowRoot) {
    const inner: Element | null = hit.shadowRoot.elementFromPoint(...at);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return !lineage(hit).includes(it) && !lineage(it).includes(hit as Element);
}

/** Fields and buttons without an edge that stands out, and shapes that do not. */
function faintControls(least: number): string[] {
  const seen = all().filter((it) => isSeen(it));
  const edged = seen.filter(
    (it) => it.matches("input, select, textarea, button, a.button") && !it.matches(NATIVE),
  );
  const shapes = seen.filter((it) => it.matches("rect.all, rect.failures"));
  const isFaint = (it: Element) => {
    const { borderTopColor, borderTopWidth, backgroundColor, opacity } = getComputedStyle(it);
    const behind = backdropOf(parentOf(it));
    const own = colourOf(backgroundColor);
    const border = colourOf(borderTopColor);
    const isBare = (border[3] === 0 || borderTopWidth === "0px") && own[3] === 0;
    // The text of such a button is what is seen, and axe measures texts. A disabled one may be faint.
    if (isBare || Number(opacity) < 1) return false;
    const edge = Math.max(
      contrast(over(border, behind), behind),
      contrast(over(own, behind), behind),
    );
    return edge < least;
  };
  const isFaintShape = (it: Element) =>
    contrast(colourOf(getComputedStyle(it).fill), backdropOf(it)) < least;
  return [...edged.filter((it) => isFaint(it)), ...shapes.filter((it) => isFaintShape(it))].map(
    (it) => named(it),
  );
}

/** Makes Tab go on from an element. */
function startAt(it: Element): void {
  it.setAttribute("tabindex", "-1");
  (it as HTMLElement).focus();
  it.removeAttribute("tabindex");
}

/** The element with the focus and its ring; null after the last one. */
function stopOf(): { name: string; width: number; contrast: number } | null {
  let it = document.activeElement;
  while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;
  if (!it || it === document.body) return null;
  const active = it.getAttribute("aria-activedescendant");
  const root = it.getRootNode() as ShadowRoot | Document;
  const marked =
    (active !== null && it.matches("[role=grid]") && root.getElementById(active)) || it;
  const style = getComputedStyle(marked);
  const ring = style.outlineStyle === "none" ? 0 : Number.parseFloat(style.outlineWidth);
  const isInside = Number.parseFloat(style.outlineOffset) < 0;
  const behind = backdropOf(isInside ? marked : parentOf(marked));
  const colour = over(colourOf(style.outlineColor), behind);
  return { name: named(marked), width: ring, contrast: contrast(colour, behind) };
}

/** Elements that have a transition or an animation. */
function moving(): string[] {
  const isMoving = (it: Element) => {
    const { transitionDuration, animationName } = getComputedStyle(it);
    return /[1-9]/.test(transitionDuration) || animationName !== "none";
  };
  return all()
    .filter((it) => isMoving(it))
    .map((it) => named(it));
}

async function differingPixels(pngs: readonly string[], least: number): Promise<number> {
  const [before, after] = await Promise.all(pngs.map((png) => pixelsOf(png)));
  if (!before || before.length !== after?.length) throw new Error("The pictures differ in size.");
  let count = 0;
  for (let at = 0; at < before.length; at += 4) {
    const [one, other] = [before, after].map((data): Colour => [
      data[at] ?? 0,
      data[at + 1] ?? 0,
      data[at + 2] ?? 0,
      1,
    ]);
    if (one && other && contrast(one, other) >= least) count += 1;
  }
  return count;
}

async function pixelsOf(png: string): Promise<Uint8ClampedArray> {
  const bytes = Uint8Array.from(atob(png), (one) => one.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext("2d");
  if (!canvas) throw new Error("There is no canvas.");
  canvas.drawImage(picture, 0, 0);
  return canvas.getImageData(0, 0, width, height).data;
}

export const HELPERS = [
  `const CONTROLS = ${JSON.stringify(CONTROLS)}, NATIVE = ${JSON.stringify(NATIVE)};`,
  all,
  parentOf,
  lineage,
  isSeen,
  named,
  colourOf,
  over,
  backdropOf,
  luminance,
  contrast,
  cutTexts,
  isCut,
  coveredControls,
  isCovered,
  faintControls,
  startAt,
  stopOf,
  moving,
  differingPixels,
  pixelsOf,
].join("\n");
