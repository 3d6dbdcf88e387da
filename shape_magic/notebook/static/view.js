// @ts-check
/**
 * The view of one measured text: its numbers, and the lines that they were counted from.
 *
 * All that is drawn follows from a store: a click sets it, Python sets it, and the drawing hears of
 * either in the same way. What the text's author wrote becomes text nodes, and never markup.
 */

/**
 * @typedef {[first: number, last: number]} Range  Lines, both ends included, counted from 1.
 *
 * @typedef {object} Attribute
 * @property {string} name
 * @property {string} meaning
 * @property {number} figure
 * @property {number | null} change
 * @property {[first: number, last: number, amount: number][]} evidence
 *
 * @typedef {object} Evaluation  What an evaluator said of the text.
 * @property {string} evaluator
 * @property {string} facts
 * @property {string} categories
 * @property {string} justification
 * @property {[mark: string, verdict: string, claim: string, places: Range[]][]} claims
 * @property {number} claims_left_out
 *
 * @typedef {object} Shown  What `shape_magic.notebook.view_data` writes, with its digest.
 * @property {number} format
 * @property {string} digest
 * @property {string} title
 * @property {number | null} round
 * @property {number | null} version
 * @property {string} kind
 * @property {string} analyzer
 * @property {string | null} baseline
 * @property {Attribute[]} attributes
 * @property {{ name: string, colour: string, chars: number }[]} kinds
 * @property {[kind: number, count: number][]} line_kinds
 * @property {string[]} lines
 * @property {[code: number, count: number][]} endings
 * @property {[line: number, last: number, label: string][]} outline
 * @property {[line: number, message: string][]} notes
 * @property {string | null} call
 * @property {{ evaluations: Evaluation[], left_out: number }} [said]
 * @property {Record<string, string>} symbols
 *
 * @typedef {object} Kernel  Answers what only Python can; an answer may never come.
 * @property {(shown: Shown, question: Record<string, unknown>) => Promise<any>} ask
 *
 * @typedef {object} State
 * @property {Shown} shown
 * @property {Range | null} selection
 * @property {string | null} attribute
 * @property {string} search
 * @property {string | null} kind  The kind of line that is highlighted; an attribute or a kind is.
 * @property {boolean} wrap
 * @property {string | undefined} text  What a playground measures; other views have none.
 * @property {Kernel | null} kernel
 * @property {boolean} kernelGone  There was one, and it is no more.
 *
 * @typedef {object} Context  What the parts of one drawing share.
 * @property {Shown} shown
 * @property {Store} store
 * @property {AbortSignal} signal  Aborted when the drawing goes: all that listens ends by it.
 * @property {(text: string) => string} visible  For what is shown; what is copied is verbatim.
 * @property {string} id  A prefix for ids that no other drawing has.
 */

/** Lines in a block: the browser lays out only the blocks that are near the visible part. */
const BLOCK = 200;
/** The height of one line, as the stylesheet has it, and about how many characters fill it. */
const LINE_HEIGHT = 20;
const LINE_WIDTH = 100;
/** How many matched lines are reported, as `search_deliberation` does. */
const REPORTED = 20;
/** The name of the marks of words that a search found, and how many a line has at most. */
const FOUND = "shape-magic-found";
const WORDS = 100;
/** How many characters of one text are drawn, entries of a list and lines of an answer, at most. */
const WIDTH_SHOWN = 10_000;
const LISTED = 2000;
const ANSWER_SHOWN = 200;
/** Milliseconds: a selection that stays so long is asked about; a kernel has so long to answer. */
const SETTLED = 150;
export const PATIENCE = 3000;

/** What tells JupyterLab that a key is not its own; it looks for it on the focused element. */
const SUPPRESS = "data-lm-suppress-shortcuts";

// ---------------------------------------------------------------------------------------------
// State

/** What is drawn, and whoever wants to hear when it changes. */
export class Store {
  /** @type {State} */
  #state;
  /** @type {Map<string, Set<() => void>>} */
  #heard = new Map();

  /** @param {Partial<State> & { shown: Shown }} state */
  constructor(state) {
    this.#state = {
      selection: null,
      attribute: null,
      search: "",
      kind: null,
      wrap: true,
      text: undefined,
      kernel: null,
      kernelGone: false,
      ...state,
    };
  }

  /**
   * @template {keyof State} Name
   * @param {Name} name
   * @returns {State[Name]}
   */
  get(name) {
    return this.#state[name];
  }

  /**
   * @template {keyof State} Name
   * @param {Name} name
   * @param {State[Name]} value
   */
  set(name, value) {
    const before = this.#state[name];
    const range = Array.isArray(before) && Array.isArray(value);
    if (range ? String(before) === String(value) : before === value) return;
    this.#state[name] = value;
    for (const heard of [...(this.#heard.get(name) ?? [])]) heard();
  }

  /**
   * @param {keyof State} name
   * @param {() => void} heard
   * @param {AbortSignal} signal
   */
  on(name, heard, signal) {
    const all = this.#heard.get(name) ?? new Set();
    this.#heard.set(name, all.add(heard));
    // A signal may outlive the store, and is not to keep what hears it.
    const held = new WeakRef(all);
    signal.addEventListener("abort", () => held.deref()?.delete(heard), { once: true });
  }
}

// ---------------------------------------------------------------------------------------------
// Small tools

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} name  Its class.
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, name, attributes = {}, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function button(name, attributes, ...children) {
  return element("button", name, { type: "button", ...attributes }, ...children);
}

/**
 * Tell whether a key is the view's: what it uses itself, and plain letters, of which JupyterLab would
 * take `d d` to delete the cell. All else, as Ctrl+S or Shift+Enter, goes to the host.
 *
 * @param {KeyboardEvent} event
 * @param {EventTarget | null} target
 */
function isOwnKey(event, target) {
  const { key, shiftKey } = event;
  const writes = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (event.altKey) return false;
  if (event.ctrlKey || event.metaKey) {
    return (writes ? "acvxyz" : "ac").includes(key.toLowerCase());
  }
  return writes || !(shiftKey && key === "Enter");
}

/**
 * Give the host all keys but the view's. Its listener comes first wherever it stands, so whose key
 * it is has to be said before that.
 *
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
export function shareKeys(root, signal) {
  const say = (/** @type {KeyboardEvent} */ event) => {
    const [target] = event.composedPath();
    if (!(target instanceof Element) || !root.contains(target)) return;
    target.toggleAttribute(SUPPRESS, isOwnKey(event, target));
  };
  listenOutside(window, "keydown", root, say, signal);
}

/** Ends what an element listened to once it is gone: a host that drops an output tells nobody. */
const DROPPED = new FinalizationRegistry((/** @type {() => void} */ end) => end());

/**
 * Listen to the window or the document without keeping what listens.
 *
 * @param {Window | Document} target
 * @param {string} type
 * @param {HTMLElement} owner  As long as it is there, it is told.
 * @param {(event: any) => void} heard
 * @param {AbortSignal} signal
 */
function listenOutside(target, type, owner, heard, signal) {
  const held = new WeakRef(heard);
  const listener = (/** @type {Event} */ event) => held.deref()?.(event);
  const end = () => target.removeEventListener(type, listener, { capture: true });
  target.addEventListener(type, listener, { capture: true });
  // No such event comes: by this the owner, and nothing else, keeps what is told.
  owner.addEventListener(`shape-magic-${type}`, heard, { signal });
  signal.addEventListener("abort", end, { once: true });
  DROPPED.register(owner, end);
}

/** @param {number} figure */
export function counted(figure) {
  return figure.toLocaleString("en-US");
}

/** @param {number} change */
export function signed(change) {
  return (change < 0 ? "−" : "+") + counted(Math.abs(change));
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function several(count, noun) {
  return `${counted(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Write text as Python's `json.dumps` does, to the letter: Python sends back what it reads
 * differently.
 *
 * @param {unknown} value
 */
export function toWire(value) {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/**
 * Make the function that readies text for the eye: acting characters become symbols, Python says
 * which and how, and a text that a browser would need seconds to lay out is cut.
 *
 * @param {Record<string, string>} symbols
 * @param {number} [most]  How many characters are drawn.
 * @returns {(text: string) => string}
 */
export function visibleBy(symbols, most = WIDTH_SHOWN) {
  const codes = Object.keys(symbols).map((symbol) => `\\u{${symbol.codePointAt(0)?.toString(16)}}`);
  const acting = codes.length > 0 ? new RegExp(`[${codes.join("")}]`, "gu") : null;
  return (text) => {
    let shown = text;
    if (text.length > most) {
      const cut = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
      shown = `${cut} … ${several(text.length - cut.length, "more character")}`;
    }
    return acting ? shown.replace(acting, (character) => symbols[character] ?? character) : shown;
  };
}

/**
 * @param {Context} context
 * @param {number} first
 * @param {number} last
 */
export function select({ store, shown }, first, last) {
  const total = shown.lines.length;
  if (total === 0) return;
  const within = (/** @type {number} */ line) => Math.min(Math.max(line, 1), total);
  store.set("selection", [within(Math.min(first, last)), within(Math.max(first, last))]);
}

/**
 * @param {Context} context
 * @returns {Range | null}
 */
export function selected({ store, shown }) {
  const range = store.get("selection");
  return range && range[0] >= 1 && range[1] <= shown.lines.length ? range : null;
}

/**
 * Copy text. A browser's clipboard holds no lone surrogate: U+FFFD stands for it there.
 *
 * @param {string} text
 * @param {HTMLElement} place
 * @returns {Promise<boolean>}
 */
async function copy(text, place) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some hosts show outputs in frames that may not use the clipboard; the old way still works.
    const area = element("textarea", "sm-offstage", { "aria-hidden": "true", tabindex: "-1" });
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    area.value = text;
    place.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    focused?.focus({ preventScroll: true });
    return copied;
  }
}

/**
 * @param {Pick<Context, "signal">} context
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton({ signal }, label, text) {
  const made = button("sm-copy", { "aria-label": label }, label);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const pressed = async () => {
    made.textContent = (await copy(text(), made)) ? "copied" : "not copied";
    clearTimeout(timer);
    timer = setTimeout(() => (made.textContent = label), 1500);
  };
  made.addEventListener("click", pressed, { signal });
  return made;
}

/**
 * Do a job in steps while the page is idle.
 *
 * @param {() => boolean} step  Answers whether there is more to do.
 * @param {AbortSignal} signal
 */
export function whenIdle(step, signal) {
  /** @param {IdleDeadline} [deadline] */
  const run = (deadline) => {
    if (signal.aborted) return;
    // Idle time may be long, and a click is not to wait for its end.
    const until = performance.now() + Math.min(8, deadline?.timeRemaining() ?? 0);
    let more = true;
    do more = step();
    while (more && performance.now() < until);
    if (more) next();
  };
  // Safari has no idle time to ask for.
  const next = () => {
    if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 300 });
    else setTimeout(run, 20);
  };
  next();
}

/**
 * Draw a list of buttons that each lead to lines. They are one stop of the Tab key together, and
 * the arrow keys move among them.
 *
 * @param {Context} context
 * @param {object} list
 * @param {string} list.name  Its class.
 * @param {string} list.what  What one entry is called.
 * @param {[first: number, last: number, text: string][]} list.entries
 * @param {(entry: HTMLButtonElement, range: Range) => void} [list.added]
 */
function drawList(context, { name, what, entries, added }) {
  const { signal, visible } = context;
  const list = element("ul", name, {});
  /** @type {HTMLButtonElement[]} */
  const buttons = [];
  let stop = 0;
  const add = () => {
    const [first, last, text] = entries[buttons.length] ?? [1, 1, ""];
    const entry = button(
      "sm-row",
      { tabindex: buttons.length === stop ? "0" : "-1", "data-first": String(first) },
      element("span", "sm-at", {}, `L${first}`),
      " ",
      element("bdi", "sm-label", {}, visible(text)),
    );
    buttons.push(entry);
    list.append(element("li", "", {}, entry));
    added?.(entry, [first, last]);
  };
  const most = Math.min(entries.length, LISTED);
  const step = () => {
    for (let n = 0; n < 50 && buttons.length < most; n += 1) add();
    if (buttons.length < most) return true;
    const rest = entries.length - most;
    if (rest > 0) list.append(element("li", "sm-rest", {}, `and ${several(rest, `more ${what}`)}`));
    return false;
  };
  if (step()) whenIdle(step, signal);

  /** @param {EventTarget | null} target */
  const indexOf = (target) => {
    const entry = target instanceof Element ? target.closest("button") : null;
    return entry ? buttons.indexOf(entry) : -1;
  };
  list.addEventListener(
    "click",
    (event) => {
      const [first, last] = entries[indexOf(event.target)] ?? [0, 0];
      if (first > 0) select(context, first, last);
    },
    { signal },
  );
  list.addEventListener(
    "keydown",
    (event) => {
      const at = indexOf(event.target);
      const end = buttons.length - 1;
      /** @type {Record<string, number>} */
      const targets = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: end };
      const target = targets[event.key];
      if (at < 0 || target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      buttons[Math.min(Math.max(target, 0), end)]?.focus();
    },
    { signal },
  );
  list.addEventListener(
    "focusin",
    (event) => {
      const at = indexOf(event.target);
      if (at < 0) return;
      buttons[stop]?.setAttribute("tabindex", "-1");
      buttons[at]?.setAttribute("tabindex", "0");
      stop = at;
    },
    { signal },
  );
  return list;
}

// ---------------------------------------------------------------------------------------------
// The parts, from top to bottom

/**
 * @param {Context} context
 */
function drawHeader(context) {
  const { shown, signal, visible, id } = context;
  const facts = [
    shown.round === null ? "" : `round ${shown.round}`,
    shown.version === null || shown.version === 1 ? "" : `version ${shown.version}`,
    visible(shown.analyzer),
    shown.baseline === null ? "" : `changes ${visible(shown.baseline)}`,
    shown.outline.length === 0 ? "no anchors" : "",
  ].filter(Boolean);
  const header = element(
    "div",
    "sm-header",
    {},
    element("bdi", "sm-title", {}, visible(shown.title)),
    element("span", "sm-facts", {}, facts.join(" · ")),
  );
  /** @type {HTMLElement[]} */
  const drawn = [header];
  /**
   * Add a list that a button of the header opens.
   *
   * @param {HTMLElement} list
   * @param {string} label
   * @param {string} told  What the button says.
   */
  const addFolded = (list, label, told) => {
    list.id = `${id}-${label.toLowerCase()}`;
    list.setAttribute("aria-label", label);
    list.hidden = true;
    const attributes = { "aria-expanded": "false", "aria-controls": list.id };
    const toggle = button("sm-toggle", attributes, told);
    const turn = () => {
      list.hidden = !list.hidden;
      toggle.setAttribute("aria-expanded", String(!list.hidden));
    };
    toggle.addEventListener("click", turn, { signal });
    header.append(toggle);
    drawn.push(list);
  };
  if (shown.notes.length > 0) {
    /** @type {[number, number, string][]} */
    const entries = shown.notes.map(([line, message]) => [line, line, message]);
    const list = drawList(context, { name: "sm-notes", what: "note", entries });
    addFolded(list, "Notes", several(shown.notes.length, "note"));
  }
  if (shown.said) {
    const count = shown.said.evaluations.length + shown.said.left_out;
    addFolded(drawSaid(context, shown.said), "Evaluations", several(count, "evaluation"));
  }
  return drawn;
}

/**
 * What evaluators said: each evaluation with its claims, which lead to the lines that hold them.
 *
 * @param {Context} context
 * @param {NonNullable<Shown["said"]>} said
 */
function drawSaid(context, said) {
  const { signal } = context;
  const list = element("div", "sm-said", { role: "group" });
  for (const evaluation of said.evaluations) {
    const claims = element("ul", "sm-claims");
    for (const [mark, verdict, claim, places] of evaluation.claims) {
      const row = element("li", "sm-claim", {}, ...drawClaim(context, mark, verdict, claim));
      const [first] = places;
      if (first) {
        const where = first[0] === first[1] ? `L${first[0]}` : `L${first[0]}–${first[1]}`;
        const lead = button("sm-number", { "aria-label": `Select ${where}` }, where);
        lead.addEventListener("click", () => select(context, ...first), { signal });
        row.append(" ", lead);
        if (places.length > 1) row.append(" ", drawPlaces(context, places));
      } else row.append(" ", element("span", "sm-facts", {}, "stands nowhere in the text"));
      claims.append(row);
    }
    const rest = evaluation.claims_left_out;
    if (rest > 0) claims.append(element("li", "sm-facts", {}, `and ${several(rest, "more claim")}`));
    list.append(element("div", "sm-evaluation", {}, ...drawEvaluation(context, evaluation), claims));
  }
  if (said.left_out > 0) {
    const rest = `and ${several(said.left_out, "more evaluation")}`;
    list.append(element("div", "sm-facts", {}, rest));
  }
  return list;
}

/**
 * @param {Context} context
 * @param {string} mark
 * @param {string} verdict
 * @param {string} claim
 */
function drawClaim({ visible }, mark, verdict, claim) {
  return [
    element("span", "sm-verdict", {}, `${mark} ${visible(verdict)}`),
    " ",
    element("q", "", {}, element("bdi", "", {}, visible(claim))),
  ];
}

/**
 * Who said it, the figures, and folded away the scores of the categories and the justification.
 *
 * @param {Context} context
 * @param {Evaluation} evaluation
 */
function drawEvaluation({ visible }, { evaluator, facts, categories, justification }) {
  const summary = element(
    "summary",
    "sm-who",
    {},
    element("bdi", "", {}, visible(evaluator)),
    " ",
    element("span", "sm-facts", {}, visible(facts)),
  );
  const words = [categories, justification].filter(Boolean).map((part) =>
    element("p", "sm-words", {}, visible(part)),
  );
  return [element("details", "", {}, summary, ...words)];
}

/**
 * The eight numbers. Each is a button, and what it means stands below while it is looked at.
 *
 * @param {Context} context
 */
function drawAttributes(context) {
  const { shown, store, signal, visible, id } = context;
  const tiles = element("div", "sm-attributes", { role: "group", "aria-label": "Attributes" });
  const legend = element("div", "sm-legend", {});
  const look = element("p", "sm-look", { hidden: "", "aria-hidden": "true" });
  /** @type {Map<string, HTMLButtonElement>} */
  const buttons = new Map();

  /** @param {Attribute} attribute */
  const changed = ({ change }) => {
    if (change === null || shown.baseline === null) return "";
    return `${change === 0 ? "no change" : signed(change)} ${visible(shown.baseline)}`;
  };
  /** @param {Attribute} attribute */
  const said = ({ name, meaning }) => [element("b", "", {}, name), ` ${meaning}`];

  const why = drawWhyNumber(context);
  const explain = () => {
    const pressed = shown.attributes.find(({ name }) => name === store.get("attribute"));
    if (pressed) {
      legend.replaceChildren(
        element("span", "", {}, ...said(pressed)),
        why,
        drawPlaces(context, pressed.evidence.map(([first, last]) => [first, last])),
      );
    } else {
      const hint = "Each number leads to the lines that it was counted from.";
      legend.replaceChildren(element("span", "", {}, hint), why);
    }
  };
  const press = () => {
    for (const [name, tile] of buttons) {
      tile.setAttribute("aria-pressed", String(name === store.get("attribute")));
    }
    explain();
  };

  for (const attribute of shown.attributes) {
    const { name, meaning, figure, change } = attribute;
    const about = element("span", "", { id: `${id}-${name}`, hidden: "" });
    about.textContent = [meaning, changed(attribute)].filter(Boolean).join("; ");
    const tile = button(
      "sm-attribute",
      { "data-attribute": name, "aria-pressed": "false", "aria-describedby": about.id },
      element("span", "sm-figure", {}, counted(figure)),
      " ",
      element("span", "sm-name", {}, name),
    );
    if (change) tile.append(" ", element("span", "sm-change", {}, signed(change)));
    const enter = () => {
      look.replaceChildren(...said(attribute));
      look.hidden = name === store.get("attribute");
    };
    const leave = () => (look.hidden = true);
    const toggle = () => {
      leave();
      store.set("attribute", store.get("attribute") === name ? null : name);
    };
    tile.addEventListener("pointerenter", enter, { signal });
    tile.addEventListener("pointerleave", leave, { signal });
    tile.addEventListener("focus", enter, { signal });
    tile.addEventListener("blur", leave, { signal });
    tile.addEventListener("click", toggle, { signal });
    buttons.set(name, tile);
    tiles.append(tile, about);
  }
  store.on("attribute", press, signal);
  press();
  return [tiles, element("div", "sm-legends", {}, legend, look)];
}

/**
 * Say how many places there are, and lead from each to the next.
 *
 * @param {Context} context
 * @param {Range[]} places
 */
function drawPlaces(context, places) {
  const { signal, store } = context;
  const where = element("span", "", {}, several(places.length, "place"));
  const group = element("span", "sm-places", {}, where);
  if (places.length === 0) return group;
  /** @param {1 | -1} step */
  const go = (step) => {
    const from = store.get("selection")?.[0] ?? 0;
    const at =
      step > 0
        ? places.findIndex(([first]) => first > from)
        : places.findLastIndex(([first]) => first < from);
    const next = at >= 0 ? at : step > 0 ? 0 : places.length - 1;
    const [first, last] = places[next] ?? [1, 1];
    select(context, first, last);
    where.textContent = `${counted(next + 1)} of ${several(places.length, "place")}`;
  };
  const previous = button("sm-step", { "aria-label": "Previous place" }, "‹");
  const next = button("sm-step", { "aria-label": "Next place" }, "›");
  previous.addEventListener("click", () => go(-1), { signal });
  next.addEventListener("click", () => go(1), { signal });
  group.append(previous, next);
  return group;
}

/**
 * How the characters divide by kind of line. A part of the bar, and its name below, highlights the
 * lines of that kind; a kind is told by its letter as well as by its colour.
 *
 * @param {Context} context
 */
function drawBar({ shown, store, signal }) {
  const kinds = shown.kinds.filter((kind) => kind.chars > 0);
  const total = kinds.reduce((sum, kind) => sum + kind.chars, 0);
  if (total === 0) return [];
  const bar = element("div", "sm-bar", { "aria-hidden": "true" });
  const key = element("div", "sm-key", {
    role: "group",
    "aria-label": "Characters by kind of line",
  });
  /** @type {[string, HTMLButtonElement][]} */
  const buttons = [];
  for (const { name, chars } of kinds) {
    const toggle = () => {
      store.set("attribute", null);
      store.set("kind", store.get("kind") === name ? null : name);
    };
    const piece = element("span", "sm-piece", { "data-kind": name });
    piece.style.flexGrow = String(chars);
    piece.addEventListener("click", toggle, { signal });
    bar.append(piece);
    const swatch = element("span", "sm-swatch", { "data-kind": name, "aria-hidden": "true" });
    swatch.textContent = letterOf(name);
    const share = `${name} ${Math.round((100 * chars) / total)}%`;
    const named = button("sm-kind", { "data-kind": name, "aria-pressed": "false" }, swatch, share);
    named.addEventListener("click", toggle, { signal });
    buttons.push([name, named]);
    key.append(named);
  }
  const press = () => {
    for (const [name, named] of buttons) {
      named.setAttribute("aria-pressed", String(name === store.get("kind")));
    }
  };
  const give = () => {
    if (store.get("attribute") !== null) store.set("kind", null);
  };
  store.on("attribute", give, signal);
  store.on("kind", press, signal);
  press();
  return [bar, key];
}

/**
 * Give the kind of each line.
 *
 * @param {Shown} shown
 */
export function kindsOf(shown) {
  return shown.line_kinds.flatMap(([kind, count]) =>
    Array.from({ length: count }, () => shown.kinds[kind]?.name ?? ""),
  );
}

/** @param {string} kind */
function letterOf(kind) {
  return kind.slice(0, 1);
}

/**
 * @param {Context} context
 */
function drawOutline(context) {
  const { shown, store, signal } = context;
  const { outline } = shown;
  const heading = element("div", "sm-caption", {}, several(outline.length, "anchor"));
  const nav = element("div", "sm-outline", { role: "group", "aria-label": "Outline" }, heading);
  /** @type {[HTMLButtonElement, Range][]} */
  const anchors = [];
  /** @param {[HTMLButtonElement, Range]} anchor */
  const mark = ([entry, range]) => {
    const current = String(store.get("selection")) === String(range);
    if (current) entry.setAttribute("aria-current", "true");
    else entry.removeAttribute("aria-current");
  };
  const list = drawList(context, {
    name: "sm-anchors",
    what: "anchor",
    entries: outline,
    added: (entry, range) => {
      const label = outline[anchors.length]?.[2] ?? "";
      const level = Math.min(/^#*/.exec(label)?.[0].length ?? 0, 6);
      entry.style.setProperty("--sm-level", String(Math.max(0, level - 1)));
      anchors.push([entry, range]);
      mark([entry, range]);
    },
  });
  store.on("selection", () => anchors.forEach(mark), signal);
  nav.append(list);

  /** @type {HTMLButtonElement | null} */
  let here = null;
  /**
   * Mark the block that is read, and keep it in sight.
   *
   * @param {number} line  The first line in sight.
   */
  const follow = (line) => {
    const [entry] = anchors.findLast(([, [first]]) => first <= line) ?? [null];
    if (entry === here) return;
    here?.removeAttribute("data-here");
    here = entry;
    if (!entry) return;
    entry.setAttribute("data-here", "");
    const { top, bottom } = entry.getBoundingClientRect();
    const around = list.getBoundingClientRect();
    if (top < around.top) list.scrollTop += top - around.top;
    else if (bottom > around.bottom) list.scrollTop += bottom - around.bottom;
  };
  return { nav, follow };
}

/**
 * Find the lines that hold any of the keywords, compared in lower case.
 *
 * @param {string[]} lines  In lower case.
 * @param {string} search  Words, or phrases in double quotes.
 */
function find(lines, search) {
  const keywords = Array.from(search.matchAll(/"([^"]*)"|(\S+)/g), (match) => match[1] ?? match[2])
    .filter((keyword) => keyword !== undefined)
    .filter((keyword) => keyword !== "")
    .map((keyword) => keyword.toLowerCase());
  /** @type {number[]} */
  const matched = [];
  const met = new Set();
  lines.forEach((line, index) => {
    let holds = false;
    for (const keyword of keywords) {
      if (line.includes(keyword)) {
        holds = true;
        met.add(keyword);
      }
    }
    if (holds) matched.push(index + 1);
  });
  return { keywords, matched, missing: keywords.filter((keyword) => !met.has(keyword)).length };
}

/**
 * The search box and the numbers of the lines that match.
 *
 * @param {Context} context
 * @param {(lines: number[], keywords: string[]) => void} mark
 */
function drawSearch(context, mark) {
  const { shown, store, signal } = context;
  const box = element("input", "sm-search", {
    type: "search",
    "aria-label": "Search for keywords",
    placeholder: 'search: keywords, "a phrase"',
    spellcheck: "false",
    autocomplete: "off",
  });
  const result = element("div", "sm-matched", { role: "status" });
  /** @type {string[] | null} */
  let lowered = null;
  /** @type {number[]} */
  let matched = [];

  const update = () => {
    const search = store.get("search");
    if (box.value !== search) box.value = search;
    lowered ??= shown.lines.map((line) => line.toLowerCase());
    const found = find(lowered, search);
    matched = found.matched;
    mark(matched, found.keywords);
    result.replaceChildren();
    if (found.keywords.length === 0) return;
    if (found.missing > 0) {
      const all = found.missing === found.keywords.length;
      const none = all ? "no line matches" : `${several(found.missing, "keyword")} not found`;
      result.append(element("span", "", {}, none));
    }
    if (matched.length === 0) return;
    const numbers = matched.slice(0, REPORTED).map((line) => {
      const number = button("sm-number", { "aria-label": `Line ${line}` }, String(line));
      number.addEventListener("click", () => select(context, line, line), { signal });
      return number;
    });
    result.append(element("span", "", {}, "matched_lines"), ...numbers);
    const rest = matched.length - numbers.length;
    if (rest > 0) result.append(element("span", "", {}, `and ${counted(rest)} more`));
  };

  box.addEventListener("input", () => store.set("search", box.value), { signal });
  box.addEventListener(
    "keydown",
    (event) => {
      if (isOwnKey(event, box)) event.stopPropagation();
      if (event.key !== "Enter" || matched.length === 0) return;
      event.preventDefault();
      const at = selected(context)?.[0] ?? 0;
      const next = event.shiftKey
        ? (matched.findLast((line) => line < at) ?? matched.at(-1))
        : (matched.find((line) => line > at) ?? matched[0]);
      if (next !== undefined) select(context, next, next);
    },
    { signal },
  );
  store.on("search", update, signal);
  update();
  const wrap = button("sm-wrap", { "aria-pressed": "true" }, "wrap");
  const showWrap = () => wrap.setAttribute("aria-pressed", String(store.get("wrap")));
  wrap.addEventListener("click", () => store.set("wrap", !store.get("wrap")), { signal });
  store.on("wrap", showWrap, signal);
  showWrap();
  return element("div", "sm-tools", {}, box, result, wrap);
}

/**
 * How the lines look now; whoever changes it says so with `changed`.
 *
 * @typedef {object} Look
 * @property {Range | null} range  What is selected.
 * @property {Uint8Array} evidence  1 for each line that an attribute was counted from.
 * @property {Map<number, number>} amounts  What it counted, at the lines where a count begins.
 * @property {Uint8Array} matched  1 for each line that the search found.
 * @property {string[]} keywords  What it looked for, in lower case.
 * @property {Map<number, string[]>} said  The marks of claims, at the lines where they begin.
 *
 * @typedef {object} Lines
 * @property {HTMLElement} pane
 * @property {Look} look
 * @property {(first: number, last: number) => void} changed
 * @property {(line: number) => HTMLElement} elementOf
 * @property {(first: number, last?: number) => void} reveal
 * @property {() => number} firstSeen
 *
 * @typedef {object} Cursor  Where the selection was begun and where it has come to; 0 for nowhere.
 * @property {number} from
 * @property {number} to
 */

/**
 * Find the lines at which the claims that were quoted begin, with the mark of each claim's verdict.
 *
 * @param {Shown} shown
 */
function saidAt({ said }) {
  /** @type {Map<number, string[]>} */
  const marks = new Map();
  for (const { claims } of said?.evaluations ?? []) {
    for (const [mark, , , places] of claims) {
      for (const [first] of places) marks.set(first, [...(marks.get(first) ?? []), mark]);
    }
  }
  return marks;
}

/**
 * Write marks: a few as they come, many by how often each is there, so that they hide no text.
 *
 * @param {string[]} marks
 */
function briefly(marks) {
  if (marks.length <= 3) return marks.join("");
  const counts = new Map(marks.map((mark) => [mark, marks.filter((each) => each === mark).length]));
  return [...counts].map(([mark, count]) => mark + count).join(" ");
}

/**
 * Mark words in the text that stands there, without a change to it.
 *
 * @param {AbortSignal} signal
 */
function markedWords(signal) {
  /** @type {Map<Element, AbstractRange[]>} */
  const ranges = new Map();
  // A browser that has no such marks shows the lines alone.
  const all = globalThis.CSS?.highlights;
  /** @param {Element} line */
  const clear = (line) => {
    for (const range of ranges.get(line) ?? []) all?.get(FOUND)?.delete(range);
    ranges.delete(line);
  };
  /**
   * @param {Element | undefined} line
   * @param {string[]} keywords
   */
  const mark = (line, keywords) => {
    if (!line || !all || (keywords.length === 0 && !ranges.has(line))) return;
    clear(line);
    const node = line.firstChild;
    const text = (node?.textContent ?? "").toLowerCase();
    // Lower case may be longer, and then nothing is where it was.
    if (!node || text.length !== node.textContent?.length) return;
    /** @type {AbstractRange[]} */
    const made = [];
    for (const keyword of keywords) {
      for (let at = text.indexOf(keyword); at >= 0 && made.length < WORDS; ) {
        const end = at + keyword.length;
        made.push(
          new StaticRange({ startContainer: node, startOffset: at, endContainer: node, endOffset: end }),
        );
        at = text.indexOf(keyword, end);
      }
    }
    if (made.length === 0) return;
    if (!all.has(FOUND)) all.set(FOUND, new Highlight());
    for (const range of made) all.get(FOUND)?.add(range);
    ranges.set(line, made);
  };
  signal.addEventListener("abort", () => [...ranges.keys()].forEach(clear), { once: true });
  return { mark };
}

/**
 * The numbered lines. They stand in blocks, and the browser skips the blocks that are out of sight.
 * The first block is filled at once and the others while the page is idle, so the view shows at
 * once, however long the text, and in the end every line is in the page.
 *
 * @param {Context} context
 * @returns {Lines}
 */
function drawLines({ shown, signal, visible }) {
  const { lines } = shown;
  const total = lines.length;
  const pane = element("div", "sm-source", {
    role: "listbox",
    tabindex: "0",
    "aria-label": `Source, ${several(total, "line")}`,
    "aria-multiselectable": "true",
  });
  pane.classList.toggle("sm-many", total > 10 * BLOCK);
  pane.style.setProperty("--sm-digits", String(Math.max(3, String(total).length)));

  const kinds = kindsOf(shown);
  /** @type {HTMLElement[]} Each line's element, from 1, where its block is filled. */
  const elements = [];
  /** @type {Look} */
  const look = {
    range: null,
    evidence: new Uint8Array(total + 1),
    amounts: new Map(),
    matched: new Uint8Array(total + 1),
    keywords: [],
    said: saidAt(shown),
  };
  const words = markedWords(signal);

  /** @param {number} line */
  const paint = (line) => {
    const { range, evidence, amounts, matched } = look;
    const made = elements[line];
    const chosen = range !== null && range[0] <= line && line <= range[1];
    made?.setAttribute("aria-selected", String(chosen));
    made?.toggleAttribute("data-evidence", evidence[line] === 1);
    made?.toggleAttribute("data-matched", matched[line] === 1);
    const amount = amounts.get(line);
    if (amount) made?.setAttribute("data-amount", `+${counted(amount)}`);
    else made?.removeAttribute("data-amount");
    words.mark(made, matched[line] === 1 ? look.keywords : []);
  };
  const blank = element("div", "sm-line", { role: "option" });
  /** @param {number} line */
  const make = (line) => {
    const made = /** @type {HTMLElement} */ (blank.cloneNode());
    const text = lines[line - 1] ?? "";
    made.setAttribute("data-line", String(line));
    const kind = kinds[line - 1] ?? "";
    made.setAttribute("data-kind", kind);
    made.textContent = visible(text);
    // The first of a kind has its letter, and a name says the kind, and of a blank line that it is.
    if (kind !== kinds[line - 2]) made.setAttribute("data-letter", letterOf(kind));
    const read = text.trim() === "" ? "blank" : made.textContent;
    const marks = look.said.get(line);
    if (marks) made.setAttribute("data-said", briefly(marks));
    const claims = marks ? `, ${several(marks.length, "claim")} here` : "";
    made.setAttribute("aria-label", `${line} ${kind}: ${read}${claims}`);
    elements[line] = made;
    return made;
  };

  /** @type {HTMLElement[]} */
  const blocks = [];
  for (let start = 0; start < total; start += BLOCK) {
    const block = element("div", "sm-block", { role: "presentation" });
    let rows = 0;
    for (const line of lines.slice(start, start + BLOCK)) {
      rows += Math.max(1, Math.ceil(line.length / LINE_WIDTH));
    }
    block.style.containIntrinsicBlockSize = `auto ${rows * LINE_HEIGHT}px`;
    block.style.minBlockSize = `${rows * LINE_HEIGHT}px`;
    blocks.push(block);
  }
  pane.append(...blocks);

  // Which blocks are not filled yet, or not painted as the lines look now.
  const stale = new Set(blocks.keys());
  let working = false;
  /** @param {number} index */
  const freshen = (index) => {
    if (!stale.delete(index)) return;
    const start = index * BLOCK;
    const end = Math.min(start + BLOCK, total);
    const block = blocks[index];
    if (block && block.childElementCount === 0) {
      const made = document.createDocumentFragment();
      for (let line = start + 1; line <= end; line += 1) made.append(make(line));
      block.append(made);
      block.style.minBlockSize = "";
    }
    for (let line = start + 1; line <= end; line += 1) paint(line);
  };
  const freshenNext = () => {
    const [index] = stale;
    if (index !== undefined) freshen(index);
    working = stale.size > 0;
    return working;
  };
  const freshenSeen = () => {
    const around = pane.getBoundingClientRect();
    for (const index of stale) {
      const box = blocks[index]?.getBoundingClientRect();
      if (box && box.bottom > around.top && box.top < around.bottom) freshen(index);
    }
  };
  /**
   * Take note that lines look different now: those in sight at once, the others when idle.
   *
   * @param {number} first
   * @param {number} last
   */
  const changed = (first, last) => {
    const end = Math.floor((last - 1) / BLOCK);
    for (let index = Math.floor((first - 1) / BLOCK); index <= end; index += 1) stale.add(index);
    freshenSeen();
    if (stale.size > 0 && !working) {
      working = true;
      whenIdle(freshenNext, signal);
    }
  };
  /** @param {number} line */
  const elementOf = (line) => {
    freshen(Math.floor((line - 1) / BLOCK));
    return /** @type {HTMLElement} */ (elements[line]);
  };

  let reveals = 0;
  /**
   * Scroll lines into the pane, the first of them where not all fit, and never the page.
   *
   * @param {number} first
   * @param {number} [last]
   */
  const reveal = (first, last = first) => {
    reveals += 1;
    const latest = reveals;
    /** @param {number} looks */
    const scroll = (looks) => {
      if (signal.aborted || latest !== reveals) return;
      const top = pane.getBoundingClientRect().top + pane.clientTop;
      const start = elementOf(first).getBoundingClientRect().top - top;
      const end = elementOf(last).getBoundingClientRect().bottom - top;
      const height = pane.clientHeight;
      const tall = end - start > height;
      if (start < 0 || start >= height || (tall && looks === 0)) {
        const room = Math.max(0, Math.min(height / 4, (height - (end - start)) / 2));
        pane.scrollTop += start - room;
      } else if (end > height && !tall) pane.scrollTop += end - height;
      freshenSeen();
      // Blocks have a guessed height until they show, so the place is looked at again.
      if (looks < 3) requestAnimationFrame(() => scroll(looks + 1));
    };
    scroll(0);
  };

  /** The first line in sight. */
  const firstSeen = () => {
    const { top } = pane.getBoundingClientRect();
    const index = blocks.findIndex((block) => block.getBoundingClientRect().bottom > top + 1);
    for (let line = index * BLOCK + 1; line <= Math.min((index + 1) * BLOCK, total); line += 1) {
      const made = elements[line];
      if (made && made.getBoundingClientRect().bottom > top + 1) return line;
    }
    return 1;
  };

  freshen(0);
  changed(1, total);
  // A scroll is told before it is painted: what comes into sight is filled by then.
  pane.addEventListener("scroll", () => stale.size > 0 && freshenSeen(), { signal });
  // Paper has all of it.
  listenOutside(window, "beforeprint", pane, () => [...stale].forEach(freshen), signal);
  return { pane, look, changed, elementOf, reveal, firstSeen };
}

/**
 * Select lines by clicks, shift-clicks and drags of their numbers; a drag out of the pane scrolls
 * it. In the text a drag selects text, as anywhere, and a click that selects none takes the line.
 *
 * @param {Context} context
 * @param {HTMLElement} pane
 * @param {Cursor} cursor
 * @param {(from: number, to: number) => void} choose
 */
function selectByPointer({ signal }, pane, cursor, choose) {
  /** @param {EventTarget | null} target */
  const lineOf = (target) => {
    const line = target instanceof Element ? target.closest("[data-line]") : null;
    return line && pane.contains(line) ? Number(line.getAttribute("data-line")) : 0;
  };
  /**
   * @param {number} line
   * @param {boolean} shift
   */
  const start = (line, shift) => choose(shift && cursor.from > 0 ? cursor.from : line, line);

  /** @type {PointerEvent | null} Where the drag is; null while there is none. */
  let drag = null;
  let frame = 0;
  const extend = () => {
    if (drag === null) return;
    const { top, bottom, left, right } = pane.getBoundingClientRect();
    const beyond = drag.clientY - Math.min(Math.max(drag.clientY, top), bottom);
    pane.scrollTop += beyond / 2;
    const x = Math.min(Math.max(drag.clientX, left + 2), right - 24);
    const y = Math.min(Math.max(drag.clientY, top + 2), bottom - 2);
    const tree = /** @type {Document | ShadowRoot} */ (pane.getRootNode());
    const line = lineOf(tree.elementFromPoint(x, y));
    if (line > 0 && line !== cursor.to) choose(cursor.from, line);
    if (beyond !== 0) frame = requestAnimationFrame(extend);
  };
  const release = () => {
    drag = null;
    cancelAnimationFrame(frame);
  };
  /** @param {PointerEvent} event */
  const onNumber = ({ target, clientX }) => {
    const line = target instanceof Element ? target.closest("[data-line]") : null;
    if (!line) return false;
    const { left } = line.getBoundingClientRect();
    return clientX < left + parseFloat(getComputedStyle(line).paddingInlineStart);
  };
  pane.addEventListener(
    "pointerdown",
    (event) => {
      const line = lineOf(event.target);
      // A finger scrolls; it selects by a tap, which arrives as a click.
      if (line === 0 || event.button !== 0 || event.pointerType === "touch") return;
      if (!onNumber(event) && !event.shiftKey) return;
      event.preventDefault();
      getSelection()?.removeAllRanges();
      pane.focus({ preventScroll: true });
      start(line, event.shiftKey);
      if (!onNumber(event)) return;
      drag = event;
      pane.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  pane.addEventListener(
    "pointermove",
    (event) => {
      if (drag === null) return;
      drag = event;
      cancelAnimationFrame(frame);
      extend();
    },
    { signal },
  );
  pane.addEventListener("pointerup", release, { signal });
  pane.addEventListener("pointercancel", release, { signal });
  signal.addEventListener("abort", release, { once: true });
  pane.addEventListener(
    "click",
    (event) => {
      const line = lineOf(event.target);
      if (line === 0) return;
      const mouse = event instanceof PointerEvent && event.pointerType === "mouse";
      const numbered = mouse && (onNumber(event) || event.shiftKey);
      const text = getSelection();
      const selecting = text !== null && !text.isCollapsed && pane.contains(text.anchorNode);
      if (!numbered && !selecting) start(line, event.shiftKey);
    },
    { signal },
  );
}

/**
 * @param {Context} context
 * @param {Lines} lines
 * @param {Cursor} cursor
 * @param {(from: number, to: number) => void} choose
 */
function selectByKeys({ shown, store, signal }, { pane, reveal }, cursor, choose) {
  const total = shown.lines.length;
  pane.addEventListener(
    "keydown",
    (event) => {
      const { from, to } = cursor;
      const { key } = event;
      const page = Math.max(1, Math.floor(pane.clientHeight / LINE_HEIGHT) - 1);
      /** @type {Record<string, number>} */
      const targets = {
        ArrowDown: to + 1,
        ArrowUp: to - 1,
        PageDown: to + page,
        PageUp: to - page,
        Home: 1,
        End: total,
      };
      const target = targets[key];
      const command = event.ctrlKey || event.metaKey;
      if (command && key.toLowerCase() === "a") choose(1, total);
      else if (key === "Escape" && store.get("selection") !== null) store.set("selection", null);
      else if (target !== undefined && !command && !event.altKey) {
        const line = Math.min(Math.max(target, 1), total);
        choose(event.shiftKey && from > 0 ? from : line, line);
        reveal(line);
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
  /** @param {ClipboardEvent} event */
  const copyLines = (event) => {
    const range = store.get("selection");
    // Text that is selected as text is copied as any.
    const text = getSelection();
    if (text && !text.isCollapsed && pane.contains(text.anchorNode)) return;
    const tree = /** @type {Document | ShadowRoot} */ (pane.getRootNode());
    if (tree.activeElement !== pane || range === null || !event.clipboardData) return;
    const copied = shown.lines.slice(range[0] - 1, range[1]).join("\n");
    event.clipboardData.setData("text/plain", copied);
    event.preventDefault();
  };
  // Where no text is selected, some browsers tell the page of a copy, and not what has the focus.
  listenOutside(document, "copy", pane, copyLines, signal);
}

/**
 * The source: its lines, and what is selected, highlighted and found in them.
 *
 * @param {Context} context
 */
function drawSource(context) {
  const { shown, store, signal, id } = context;
  const total = shown.lines.length;
  if (total === 0) {
    const place = element("p", "sm-empty", {}, "The text is empty: it has no lines.");
    return { place, mark: () => {}, onScroll: () => {} };
  }
  const lines = drawLines(context);
  const { pane, look, changed, elementOf, reveal, firstSeen } = lines;
  const place = element("div", "sm-pane", {}, pane);
  const showMore = () => {
    const below = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
    place.toggleAttribute("data-more", below > LINE_HEIGHT / 2);
  };
  pane.addEventListener("scroll", showMore, { signal });
  whenIdle(() => (showMore(), false), signal);
  const showWrap = () => pane.classList.toggle("sm-nowrap", !store.get("wrap"));
  store.on("wrap", showWrap, signal);
  showWrap();
  /** @param {(line: number) => void} heard  Told the first line in sight, at most once a frame. */
  const onScroll = (heard) => {
    let due = false;
    const tell = () => {
      due = false;
      if (!signal.aborted) heard(firstSeen());
    };
    const wait = () => {
      if (!due) requestAnimationFrame(tell);
      due = true;
    };
    pane.addEventListener("scroll", wait, { signal });
  };
  /** @type {Cursor} */
  const cursor = { from: 0, to: 0 };
  /** @type {HTMLElement | null} */
  let active = null;

  /**
   * @param {number} from
   * @param {number} to
   */
  const choose = (from, to) => {
    Object.assign(cursor, { from, to });
    select(context, from, to);
  };
  const showSelection = () => {
    const before = look.range;
    look.range = selected(context);
    if (before) changed(...before);
    if (look.range) changed(...look.range);
    const [first, last] = look.range ?? [0, 0];
    const { from, to } = cursor;
    const own = first === Math.min(from, to) && last === Math.max(from, to);
    if (!own) {
      Object.assign(cursor, { from: first, to: last });
      if (first > 0) reveal(first, last);
    }
    active?.removeAttribute("id");
    active?.removeAttribute("data-active");
    active = cursor.to > 0 ? elementOf(cursor.to) : null;
    if (active === null) {
      pane.removeAttribute("aria-activedescendant");
      return;
    }
    active.id = `${id}-active`;
    active.setAttribute("data-active", "");
    pane.setAttribute("aria-activedescendant", active.id);
  };
  const showEvidence = () => {
    const attribute = shown.attributes.find(({ name }) => name === store.get("attribute"));
    look.evidence = new Uint8Array(total + 1);
    look.amounts = new Map();
    for (const [first, last, amount] of attribute?.evidence ?? []) {
      look.evidence.fill(1, first, last + 1);
      // An amount stands where there is something to see.
      let at = first;
      while (at < last && shown.lines[at - 1]?.trim() === "") at += 1;
      look.amounts.set(at, (look.amounts.get(at) ?? 0) + amount);
    }
    let line = 1;
    for (const [kind, count] of shown.line_kinds) {
      if (shown.kinds[kind]?.name === store.get("kind")) look.evidence.fill(1, line, line + count);
      line += count;
    }
    changed(1, total);
    const first = look.evidence.indexOf(1);
    if (first > 0) reveal(first);
  };
  /**
   * @param {number[]} found
   * @param {string[]} keywords
   */
  const mark = (found, keywords) => {
    look.matched = new Uint8Array(total + 1);
    look.keywords = keywords;
    for (const line of found) look.matched[line] = 1;
    changed(1, total);
    if (found[0] !== undefined) reveal(found[0]);
  };

  selectByPointer(context, pane, cursor, choose);
  selectByKeys(context, lines, cursor, choose);
  store.on("selection", showSelection, signal);
  store.on("attribute", showEvidence, signal);
  store.on("kind", showEvidence, signal);
  showEvidence();
  showSelection();
  return { place, mark, onScroll };
}

/**
 * What Python answers about the selected lines or an attribute: where there is no kernel, there is
 * nothing to say, and where one has gone, that is said once, by the question that is told of it.
 *
 * @param {Context} context
 * @param {{
 *   name: string,
 *   ask: string,
 *   about: "selection" | "attribute",
 *   lead: string,
 *   gone?: string,
 *   onDemand?: () => string,
 *   written: (answer: any) => (Node | string)[],
 * }} question  Its class, what is asked and about what, the words before the answer, those of the button where
 *   it is asked on demand alone, and how an answer is written.
 */
function drawAnswer(context, { name, ask: asks, about, lead, gone, onDemand, written }) {
  const { shown, store, signal } = context;
  const place = element("p", name, { role: "status" });
  /** What is asked about now, as the question has it. */
  const subject = () => {
    const lines = selected(context);
    const attribute = store.get("attribute");
    if (about === "attribute") return attribute === null ? null : { attribute };
    return lines === null ? null : { lines };
  };
  /** What is asked and not answered yet, as JSON. @type {string | null} */
  let asked = null;
  let told = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let settle;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let patience;

  /** @param {...(Node | string)} what */
  const say = (...what) => {
    place.replaceChildren(element("span", "sm-lead", {}, lead), " ", ...what);
  };
  const ask = async () => {
    const what = subject();
    const kernel = store.get("kernel");
    // One question at a time: a busy kernel would answer a whole row of old ones.
    if (what === null || asked !== null || kernel === null) return;
    asked = JSON.stringify(what);
    patience = setTimeout(() => say("The kernel is busy; all else works meanwhile."), PATIENCE);
    const answer = await kernel.ask(shown, { ask: asks, ...what }).catch(() => null);
    clearTimeout(patience);
    const changed = asked !== JSON.stringify(subject());
    asked = null;
    if (signal.aborted) return;
    if (changed) onDemand ? update() : ask();
    else if (answer) say(...("reason" in answer ? [answer.reason] : written(answer)));
    else update();
  };
  const update = () => {
    clearTimeout(settle);
    const none = subject() === null;
    if (store.get("kernel")) {
      place.hidden = none;
      if (onDemand) {
        const asking = button("sm-ask", {}, onDemand());
        asking.addEventListener("click", ask, { signal });
        place.replaceChildren(asking);
      } else {
        say("…");
        settle = setTimeout(ask, SETTLED);
      }
    } else {
      place.hidden = none || told || !gone || !store.get("kernelGone");
      if (place.hidden) return;
      told = true;
      say(gone ?? "");
    }
  };

  signal.addEventListener(
    "abort",
    () => {
      clearTimeout(settle);
      clearTimeout(patience);
    },
    { once: true },
  );
  store.on(about, update, signal);
  store.on("kernel", update, signal);
  update();
  return place;
}

/**
 * What the shape would be without the selected lines.
 *
 * @param {Context} context
 */
function drawWithout(context) {
  return drawAnswer(context, {
    name: "sm-without",
    ask: "without",
    about: "selection",
    lead: "without these lines",
    gone: "cannot be measured any more: the kernel is gone.",
    written: ({ shape }) => {
      const figures = context.shown.attributes
        .map(({ name, figure }) => ({ name, now: shape[name] ?? 0, was: figure }))
        .filter(({ now, was }) => now !== was)
        .map(({ name, now, was }) =>
          element(
            "span",
            "sm-would",
            {},
            element("b", "", {}, counted(now)),
            ` ${name} `,
            element("span", "sm-change", {}, signed(now - was)),
          ),
        );
      const listed = figures.flatMap((figure, index) => (index === 0 ? [figure] : [" · ", figure]));
      return listed.length > 0 ? listed : ["the shape is the same"];
    },
  });
}

/**
 * Why the selected lines count as they do, and why not: what `explain` says of them.
 *
 * @param {Context} context
 */
function drawWhy(context) {
  return drawAnswer(context, {
    name: "sm-why",
    ask: "why",
    about: "selection",
    lead: "why",
    onDemand: () => "why are these lines counted as they are?",
    written: ({ why }) => drawReasons(why, "no rule says more of these lines"),
  });
}

/**
 * Why the pressed number is what it is, and why it is not more.
 *
 * @param {Context} context
 */
function drawWhyNumber(context) {
  const { shown, store } = context;
  const question = () => {
    const pressed = shown.attributes.find(({ name }) => name === store.get("attribute"));
    return `why is it ${counted(pressed?.figure ?? 0)}, and not more?`;
  };
  return drawAnswer(context, {
    name: "sm-why-number",
    ask: "why",
    about: "attribute",
    lead: "why",
    onDemand: question,
    written: ({ why }) => drawReasons(why, "no rule says more of it"),
  });
}

/**
 * @param {string[]} reasons
 * @param {string} none  What is said where there are none.
 */
function drawReasons(reasons, none) {
  if (reasons.length === 0) return [none];
  return reasons.map((reason) => element("span", "sm-reason", {}, reason));
}

/**
 * What was said of the selected lines: each claim that stands there, with who assessed it how.
 *
 * @param {Context} context
 */
function drawSaidHere(context) {
  const { shown, store, signal } = context;
  const place = element("div", "sm-here", { role: "status" });
  const update = () => {
    const [from, to] = selected(context) ?? [1, 0];
    const rows = (shown.said?.evaluations ?? []).flatMap((evaluation) =>
      evaluation.claims
        .filter(([, , , places]) => places.some(([first, last]) => first <= to && last >= from))
        .map(([mark, verdict, claim]) =>
          element(
            "div",
            "sm-claim",
            {},
            ...drawClaim(context, mark, verdict, claim),
            ...drawEvaluation(context, evaluation),
          ),
        ),
    );
    place.replaceChildren(...rows);
    place.hidden = rows.length === 0;
  };
  store.on("selection", update, signal);
  update();
  return place;
}

/**
 * The selected range as the call that fetches it, its answer, and what its lines weigh.
 *
 * @param {Context} context
 */
export function drawSelection(context) {
  const { shown, store, signal, visible } = context;
  const { lines } = shown;
  const hint = element("p", "sm-hint", {});
  hint.append("Select lines: click one, then shift-click or drag. An anchor selects its block.");
  const where = element("span", "sm-where", { role: "status" });
  const call = element("code", "sm-call", {});
  const answer = element("pre", "sm-answer", {
    tabindex: "0",
    role: "group",
    "aria-label": "The answer to the call",
  });

  const callText = () => {
    const [first, last] = selected(context) ?? [0, 0];
    return `${shown.call}, from_line=${first}, to_line=${last})`;
  };
  /** @param {number} [most] */
  const answerText = (most = Infinity) => {
    const [first, last] = selected(context) ?? [0, 0];
    const rows = lines
      .slice(first - 1, Math.min(last, first - 1 + most))
      .map((line, index) => `${String(first + index).padStart(4)}| ${line}`);
    const rest = last - first + 1 - rows.length;
    if (rest > 0) rows.push(`     … ${several(rest, "more line")}, copied with the others`);
    return [`<lines from="${first}" to="${last}" total="${lines.length}">`, ...rows, "</lines>"];
  };
  const update = () => {
    const range = selected(context);
    hint.hidden = range !== null || lines.length === 0;
    body.hidden = range === null;
    if (range === null) return;
    const [first, last] = range;
    where.textContent = first === last ? `L${first}` : `L${first}–${last}`;
    const count = element("span", "sm-facts", {}, several(last - first + 1, "line"));
    where.append(" ", count);
    call.textContent = visible(callText());
    answer.textContent = answerText(ANSWER_SHOWN).map(visible).join("\n");
  };
  const linesText = () => {
    const [first, last] = selected(context) ?? [1, 0];
    return lines.slice(first - 1, last).join("\n");
  };
  const copies = [
    copyButton(context, "copy lines", linesText),
    copyButton(context, "copy numbered", () => answerText().join("\n")),
  ];
  if (shown.call !== null) copies.push(copyButton(context, "copy call", callText));
  const body = element(
    "div",
    "sm-selection",
    {},
    element(
      "div",
      "sm-asked",
      {},
      where,
      ...(shown.call === null ? [] : [call]),
      element("span", "sm-copies", {}, ...copies),
    ),
    ...(shown.said ? [drawSaidHere(context)] : []),
    drawWhy(context),
    drawWithout(context),
    element(
      "div",
      "sm-answered",
      {},
      answer,
    ),
  );
  store.on("selection", update, signal);
  update();
  return [element("div", "sm-selected", {}, hint, body)];
}

// ---------------------------------------------------------------------------------------------
// The whole

/**
 * Draw what is shown now.
 *
 * @param {Store} store
 * @param {AbortSignal} signal
 */
function draw(store, signal) {
  const shown = store.get("shown");
  /** @type {Context} */
  const context = {
    shown,
    store,
    signal,
    visible: visibleBy(shown.symbols),
    id: `sm-${Math.random().toString(36).slice(2)}`,
  };
  const source = drawSource(context);
  const search = shown.lines.length > 0 ? [drawSearch(context, source.mark)] : [];
  const text = element("div", "sm-text");
  if (shown.outline.length > 0) {
    const { nav, follow } = drawOutline(context);
    source.onScroll(follow);
    text.append(nav);
  }
  text.append(element("div", "sm-lines", {}, ...search, source.place));
  const body = element(
    "div",
    "sm-body",
    { role: "group", "aria-label": `Shape of ${context.visible(shown.title)}` },
    ...drawHeader(context),
    ...drawAttributes(context),
    ...drawBar(context),
    text,
    ...drawSelection(context),
  );
  for (const { name, colour } of shown.kinds) body.style.setProperty(`--sm-${name}`, colour);
  return body;
}

/**
 * The text area of a playground. Without a kernel nobody measures what is typed.
 *
 * @param {Store} store
 * @param {AbortSignal} signal
 */
function drawEditor(store, signal) {
  const area = element("textarea", "sm-editor", {
    "aria-label": "Text to measure",
    placeholder: "Type or paste a solution: its shape follows.",
    spellcheck: "false",
    dir: "auto",
  });
  const update = () => {
    const text = store.get("text") ?? "";
    if (area.value !== text) area.value = text;
    area.readOnly = store.get("kernel") === null;
  };
  area.addEventListener("input", () => store.set("text", area.value), { signal });
  const keep = (/** @type {KeyboardEvent} */ event) => {
    if (isOwnKey(event, area)) event.stopPropagation();
  };
  area.addEventListener("keydown", keep, { signal });
  store.on("text", update, signal);
  store.on("kernel", update, signal);
  update();
  return area;
}

/**
 * Draw a store into an element, and again whenever another measurement stands in it.
 *
 * @param {Store} store
 * @param {HTMLElement} el
 * @returns {() => void}  Takes out all that was put in.
 */
export function render(store, el) {
  const stop = new AbortController();
  const root = element("div", "shape-magic");
  shareKeys(root, stop.signal);
  /** @type {HTMLElement | null} */
  let editor = null;
  const redrawEditor = () => {
    const live = store.get("text") !== undefined;
    root.classList.toggle("sm-live", live);
    if (!live || editor) return;
    editor = drawEditor(store, stop.signal);
    root.prepend(editor);
  };

  let current = new AbortController();
  /** @type {HTMLElement | null} */
  let body = null;
  const redraw = () => {
    current.abort();
    current = new AbortController();
    const before = body;
    body = draw(store, current.signal);
    if (!before) {
      root.append(body);
      return;
    }
    const scrolled = before.querySelector(".sm-source")?.scrollTop ?? 0;
    before.replaceWith(body);
    // Whoever types is not to lose the place; another measurement begins at its top.
    const pane = editor ? body.querySelector(".sm-source") : null;
    if (pane) pane.scrollTop = scrolled;
  };
  redrawEditor();
  redraw();
  store.on("text", redrawEditor, stop.signal);
  store.on("shown", redraw, stop.signal);
  el.classList.add("shape-magic-host");
  el.append(root);
  return () => {
    stop.abort();
    current.abort();
    root.remove();
    el.classList.remove("shape-magic-host");
  };
}
