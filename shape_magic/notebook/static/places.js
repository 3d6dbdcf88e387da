// @ts-check
/**
 * Places: the elements of a page that views stand in, and the kernels that they are linked to.
 *
 * A notebook's output is an element with its data in an attribute and a script that adds it to a
 * waiting set. This module takes the set over: it draws what waits and what comes. Nothing of that
 * needs a kernel. Where one is there, its models say so (anywidget calls `initialize` for each, in
 * whatever order), and a place is linked to the model that displayed it, or to the notebook's link.
 *
 * One page may hold several notebooks with the very same cells, and several copies of this module;
 * all that they share stands behind one global symbol.
 */

import { renderComparison } from "./compare.js";
import { renderMatrix } from "./matrix.js";
import { Store, render, toWire } from "./view.js";

/**
 * @import { AnyModel } from "@anywidget/types"
 * @import { Compared } from "./compare.js"
 * @import { Matrix } from "./matrix.js"
 * @import { Shown } from "./view.js"
 *
 * @typedef {[cell: string | null, digest: string, time: number]} Display  One time that a model
 *   was displayed: in which cell, as what, and when.
 *
 * @typedef {{ path?: string, localPath?: string,
 *   model?: { cells?: { get: (index: number) => { id: string } | undefined } } }} NotebookContext
 *   What JupyterLab and Notebook 7 tell of the notebook that a model belongs to; other hosts may
 *   tell nothing of it.
 *
 * @typedef {object} Part  One view of a place.
 * @property {HTMLElement} element
 * @property {string} digest
 * @property {Store} store
 * @property {Remote | null} linked  The model that it moves with.
 * @property {() => void} release
 */

/** Where JupyterLab and Notebook 7 say which cell of the notebook an element belongs to. */
const CELL_INDEX = "data-windowed-list-index";

const HUB = Symbol.for("shape_magic");

/** The newest format of data that this module draws. */
const FORMAT = 1;

/** What a model and a view tell each other, and how it is written on the way. */
/** @type {{ read: (value: any) => any, write: (value: any) => any }} */
const AS_IT_IS = { read: (value) => value, write: (value) => value };
const AS_JSON = { read: (/** @type {any} */ value) => JSON.parse(value), write: toWire };
const SYNCED = /** @type {const} */ ([
  ["selection", AS_IT_IS],
  ["attribute", AS_IT_IS],
  ["search", AS_JSON],
  ["text", AS_JSON],
]);

/** A model in a kernel, as long as the kernel is there. */
class Remote {
  /** @param {AnyModel} model */
  constructor(model) {
    this.model = model;
    this.alive = true;
    /** @type {Set<() => void>} Called when the kernel is gone. */
    this.gone = new Set();
    /** @type {Map<number, { resolve: (answer: any) => void, reject: (why: unknown) => void }>} */
    this.waiting = new Map();
    this.kernel = this.#manager.kernel?.id;
    model.on("msg:custom", this.#hear);
    // A restart tells this, a shutdown nothing: then sending fails.
    model.on("comm_live_update", this.drop);
  }

  #hear = (/** @type {any} */ message) => {
    this.waiting.get(message?.number)?.resolve(message);
    this.waiting.delete(message?.number);
  };

  /** @returns {{ kernel?: { id?: string }, context?: NotebookContext }} */
  get #manager() {
    return /** @type {any} */ (this.model.widget_manager) ?? {};
  }

  /** @returns {NotebookContext | undefined} */
  get context() {
    return this.#manager.context;
  }

  /** @returns {Display[]} */
  get displays() {
    return this.model.get("_displays") ?? [];
  }

  /** When a link was made; other models are no links. @returns {number | undefined} */
  get since() {
    return this.model.get("since");
  }

  /** Look whether its kernel is still the one that it came from. */
  check() {
    if (this.alive && this.#manager.kernel?.id !== this.kernel) this.drop();
    return this.alive;
  }

  drop = () => {
    if (!this.alive) return;
    this.alive = false;
    this.model.off("msg:custom", this.#hear);
    this.model.off("comm_live_update", this.drop);
    for (const { reject } of this.waiting.values()) reject(new Error("the kernel is gone"));
    this.waiting.clear();
    for (const tell of [...this.gone]) tell();
    this.gone.clear();
  };

  /**
   * Do what needs the kernel; where it fails the kernel is gone.
   *
   * @param {() => unknown} act
   */
  attempt(act) {
    try {
      Promise.resolve(act()).catch(() => this.drop());
    } catch {
      this.drop();
    }
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  put(name, value) {
    this.model.set(name, value);
    this.attempt(() => this.model.save_changes());
  }

  /**
   * Ask what only Python can answer. A text that Python does not know by its digest is sent along.
   *
   * @param {Shown} shown
   * @param {Record<string, unknown>} question
   * @returns {Promise<any>}
   */
  async ask(shown, question) {
    const asked = { ...question, digest: shown.digest };
    const answer = await this.#send(asked);
    if (!answer.unknown) return answer;
    const { lines, endings, kind, analyzer, attributes } = shown;
    const figures = Object.fromEntries(attributes.map(({ name, figure }) => [name, figure]));
    const source = toWire({ lines, endings, kind, analyzer, figures });
    return this.#send({ ...asked, source });
  }

  /**
   * @param {Record<string, unknown>} question
   * @returns {Promise<any>}
   */
  #send(question) {
    // Other pages may be asking the same model, and an answer reaches them all.
    const number = Math.floor(Math.random() * 2 ** 53);
    return new Promise((resolve, reject) => {
      if (!this.check()) {
        reject(new Error("the kernel is gone"));
        return;
      }
      this.waiting.set(number, { resolve, reject });
      this.attempt(() => this.model.send({ ...question, number }));
    });
  }
}

/**
 * Let a view and a model move together, the model's state first.
 *
 * The model may live as long as the page. It holds the view weakly: one that is gone is not kept.
 *
 * @param {Store} store
 * @param {Remote} remote
 * @returns {() => void}  Parts them; the view goes on alone.
 */
function link(store, remote) {
  const parted = new AbortController();
  const { model } = remote;
  const view = new WeakRef(store);
  /**
   * @param {string} name
   * @param {() => void} heard
   */
  const follow = (name, heard) => {
    const listener = () => (view.deref() ? heard() : parted.abort());
    model.on(`change:${name}`, listener);
    parted.signal.addEventListener("abort", () => model.off(`change:${name}`, listener));
  };
  const show = () => {
    const written = model.get("_shown");
    if (!written) return;
    /** @type {Shown} */
    const shown = JSON.parse(written);
    if (shown.digest !== view.deref()?.get("shown")?.digest) view.deref()?.set("shown", shown);
  };
  follow("_shown", show);
  show();
  for (const [name, { read, write }] of SYNCED) {
    const state = model.get(name);
    if (state === undefined) continue;
    const hear = () => view.deref()?.set(name, read(model.get(name)));
    follow(name, hear);
    hear();
    store.on(name, () => remote.put(name, write(view.deref()?.get(name))), parted.signal);
  }
  return () => parted.abort();
}

/**
 * Tell in which notebook an element stands, as far as its host lets that be seen: the path of the
 * notebook, and the cell's place in it.
 *
 * @param {HTMLElement} element
 */
function standsIn(element) {
  const cell = element.closest(`.jp-Cell[${CELL_INDEX}]`);
  const panel = element.closest(".jp-NotebookPanel");
  if (!cell || !panel) return null;
  const index = Number(cell.getAttribute(CELL_INDEX));
  const title = document.querySelector(`[data-id="${CSS.escape(panel.id)}"]`)?.getAttribute("title");
  const path = title?.match(/^Path: (.*)$/m)?.[1];
  const alone = document.querySelectorAll(".jp-NotebookPanel").length === 1;
  return path !== undefined || alone ? { index, path } : null;
}

/**
 * Give the id of the cell that a model's notebook has where an element stands.
 *
 * @param {ReturnType<typeof standsIn>} stands
 * @param {Remote} remote
 * @returns {string | null | undefined}  null in another notebook; undefined where nobody can tell.
 */
function cellOf(stands, { context }) {
  if (!stands || !context?.model?.cells) return undefined;
  const { index, path } = stands;
  if (path !== undefined && path !== context.path && path !== context.localPath) return null;
  return context.model.cells.get(index)?.id ?? null;
}

/** All that one page shows, and all the models that it has. */
class Places {
  format = FORMAT;
  /** @type {Set<Element>} What only a newer module can draw. */
  #newer = new Set();
  /** @type {WeakMap<Element, Part[]>} A place that is gone is not kept. */
  #parts = new WeakMap();
  /** @type {Set<WeakRef<Element>>} */
  #drawn = new Set();
  /** @type {Set<Remote>} */
  #remotes = new Set();
  #due = false;
  // A place may be drawn off the page, where nobody can tell which notebook it stands in.
  #seen = new IntersectionObserver((entries) => {
    for (const { target } of entries) this.#watchCell(target);
    this.relink();
  });
  // A cell that is moved is drawn first and told its new place after that.
  #moved = new MutationObserver(() => this.relink());

  *[Symbol.iterator]() {
    yield* this.#newer;
  }

  get remotes() {
    return this.#remotes;
  }

  /**
   * Draw a place, in place of what stood there for a reader without scripts.
   *
   * @param {Element | null} place
   */
  add(place) {
    if (!(place instanceof HTMLElement) || this.#parts.has(place)) return;
    const { shapeMagic: digest = "", shapeMagicView: written = "" } = place.dataset;
    /** @type {Shown | Compared | Matrix} */
    const data = JSON.parse(written);
    if (data.format > FORMAT) {
      this.#newer.add(place);
      return;
    }
    place.replaceChildren();
    /** @param {string} named @param {Store} store @returns {Part} */
    const part = (named, store) => {
      return { element: place, digest: named, store, linked: null, release: () => {} };
    };
    if ("sides" in data) {
      const [left, right] = data.sides.map((shown) => new Store({ shown }));
      if (!left || !right) return;
      renderComparison([left, right], data, place);
      this.#parts.set(place, [part(`${digest}/0`, left), part(`${digest}/1`, right)]);
    } else if ("rows" in data) {
      const matrix = { ...data, digest };
      const store = new Store({ shown: /** @type {any} */ (matrix) });
      renderMatrix(store, matrix, place);
      this.#parts.set(place, [part(digest, store)]);
    } else {
      const store = new Store({ shown: { ...data, digest } });
      render(store, place);
      this.#parts.set(place, [part(digest, store)]);
    }
    this.#drawn.add(new WeakRef(place));
    this.#seen.observe(place);
    this.#watchCell(place);
    this.relink();
  }

  /** @param {Element} place */
  #watchCell(place) {
    const cell = place.closest(".jp-Cell");
    if (cell) this.#moved.observe(cell, { attributeFilter: [CELL_INDEX] });
  }

  /**
   * Take in a model of a kernel.
   *
   * @param {Remote} remote
   */
  connect(remote) {
    this.#remotes.add(remote);
    remote.gone.add(() => this.disconnect(remote));
    remote.model.on("change:_displays", () => this.relink());
    this.relink();
  }

  /** @param {Remote} remote */
  disconnect(remote) {
    if (this.#remotes.delete(remote)) this.relink();
  }

  /** Look anew which place belongs to which model; several reasons to do so are one. */
  relink() {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      this.#relink();
    });
  }

  #relink() {
    const remotes = [...this.#remotes].filter((remote) => remote.check());
    const parts = this.#alive();
    const matched = match(parts, remotes);
    for (const part of parts) {
      const own = matched.get(part) ?? null;
      if (own !== part.linked) {
        part.release();
        part.linked = own;
        part.release = own ? link(part.store, own) : () => {};
      }
      const kernel = own ?? linkFor(part.element, remotes);
      if (!kernel && part.store.get("kernel")) part.store.set("kernelGone", true);
      part.store.set("kernel", kernel);
    }
  }

  /** The parts that are still there, in the page's order. */
  #alive() {
    /** @type {Element[]} */
    const places = [];
    for (const reference of this.#drawn) {
      const place = reference.deref();
      if (place) places.push(place);
      else this.#drawn.delete(reference);
    }
    places.sort((a, b) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
    return places.flatMap((place) => this.#parts.get(place) ?? []);
  }
}

/**
 * Find for each view the model that displayed it. Equal views in one cell are matched from the last
 * backwards: what stood there before went away at the front.
 *
 * @param {Part[]} parts  In the page's order.
 * @param {Remote[]} remotes
 * @returns {Map<Part, Remote>}
 */
function match(parts, remotes) {
  /** @type {Map<Part, Remote>} */
  const found = new Map();
  /** @type {Map<string, Part[]>} */
  const equal = new Map();
  for (const part of parts) equal.set(part.digest, [...(equal.get(part.digest) ?? []), part]);
  for (const [digest, alike] of equal) {
    const claims = remotes
      .flatMap((remote) => remote.displays.map(([cell, of, time]) => ({ remote, cell, of, time })))
      .filter(({ of }) => of === digest)
      .sort((a, b) => a.time - b.time);
    if (claims.length === 0) continue;
    /** @type {Map<string, { parts: Part[], claims: typeof claims }>} By notebook and cell. */
    const cells = new Map();
    for (const part of alike) {
      const stands = standsIn(part.element);
      const told = claims.map((claim) => ({ claim, cell: cellOf(stands, claim.remote) }));
      const here = told.filter(({ claim, cell }) => cell && cell === claim.cell);
      const [first] = here;
      if (first) {
        const key = JSON.stringify([first.claim.remote.context?.path, first.cell]);
        const group = cells.get(key) ?? { parts: [], claims: here.map(({ claim }) => claim) };
        group.parts.push(part);
        cells.set(key, group);
      } else if (told.every(({ claim, cell }) => cell === undefined || claim.cell === null)) {
        // Nobody can tell the cell: then only what no second model claims is linked.
        const [only, ...others] = new Set(claims.map(({ remote }) => remote));
        if (only && others.length === 0) found.set(part, only);
      }
    }
    for (const group of cells.values()) {
      for (let back = 1; back <= group.parts.length; back += 1) {
        const part = group.parts.at(-back);
        const claim = group.claims.at(-back);
        if (part && claim) found.set(part, claim.remote);
      }
    }
  }
  return found;
}

/**
 * Find the link that answers for the notebook that an element stands in: the latest one.
 *
 * @param {HTMLElement} element
 * @param {Remote[]} remotes
 * @returns {Remote | null}
 */
function linkFor(element, remotes) {
  const links = remotes
    .filter(({ since }) => since !== undefined)
    .sort((a, b) => (b.since ?? 0) - (a.since ?? 0));
  const stands = standsIn(element);
  const own = links.find((remote) => typeof cellOf(stands, remote) === "string");
  if (own) return own;
  const untold = links.every((remote) => cellOf(stands, remote) === undefined);
  return untold && links.length === 1 ? (links[0] ?? null) : null;
}

/**
 * Give the page's places; where there are none, or an older module's, begin with what waits there.
 *
 * @returns {Places}
 */
function placesOfPage() {
  const page = /** @type {Record<symbol, any>} */ (globalThis);
  const before = page[HUB];
  if ((before?.format ?? 0) >= FORMAT) return before;
  const places = new Places();
  page[HUB] = places;
  for (const place of before ?? []) places.add(place);
  for (const remote of before?.remotes ?? []) places.connect(remote);
  return places;
}

/**
 * Begin to draw in this page.
 *
 * @param {string} styles  The stylesheet.
 */
export function install(styles) {
  if (!document.querySelector(`style[data-shape-magic="${FORMAT}"]`)) {
    const sheet = document.createElement("style");
    sheet.dataset.shapeMagic = String(FORMAT);
    sheet.textContent = styles;
    document.head.append(sheet);
  }
  placesOfPage();
}

/**
 * Take in a model, as anywidget hands it over when its comm opens; nothing is displayed by that.
 *
 * @param {{ model: AnyModel }} props
 */
export function initialize({ model }) {
  const remote = new Remote(model);
  placesOfPage().connect(remote);
  return () => remote.drop();
}

/**
 * Draw a model where another widget holds it, as anywidget asks for it.
 *
 * @param {{ model: AnyModel, el: HTMLElement, signal?: AbortSignal }} props
 * @returns {() => void}  Takes out all that was put in; so does the signal, where a host has one.
 */
export function renderModel({ model, el, signal }) {
  const remote = new Remote(model);
  const store = new Store({ shown: JSON.parse(model.get("_shown")), kernel: remote });
  remote.gone.add(() => {
    store.set("kernelGone", true);
    store.set("kernel", null);
  });
  const part = link(store, remote);
  const remove = render(store, el);
  const cleaned = new AbortController();
  const clean = () => {
    cleaned.abort();
    part();
    remove();
    remote.gone.clear();
    remote.drop();
  };
  if (signal?.aborted) clean();
  signal?.addEventListener("abort", clean, { signal: cleaned.signal });
  return clean;
}
