// @ts-check
/**
 * Two texts side by side: one row of the eight numbers for both, and what differs, line by line.
 *
 * Each side has a store of its own, as a view has; both texts stand in one pane, so that they scroll
 * as one. Stretches that are the same are folded.
 */

import {
  button,
  counted,
  drawSelection,
  element,
  kindsOf,
  select,
  selected,
  several,
  shareKeys,
  signed,
  visibleBy,
  whenIdle,
} from "./view.js";

/**
 * @import { Context, Shown, Store } from "./view.js"
 *
 * @typedef {[same: boolean, left: number, right: number]} Stretch
 *
 * @typedef {object} Compared  What `shape_magic.notebook.compare` writes.
 * @property {number} format
 * @property {[string, string]} names
 * @property {[Shown, Shown]} sides
 * @property {Stretch[]} stretches
 * @property {boolean} [one_text]  Both sides are one text: what differs is how its lines count.
 */

/** How many unchanged lines stand around a change, and how many rows are drawn in one step. */
const AROUND = 3;
const ROWS = 200;
/** Words of a line beyond which they are not compared one by one. */
const COMPARED_WORDS = 200;

/**
 * Divide two lines into words, and tell which of them the other line does not have in their order.
 *
 * @param {string} before
 * @param {string} after
 * @returns {[boolean[], string[], boolean[], string[]]}
 */
function changedWords(before, after) {
  const left = before.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const right = after.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const oldWords = left.map(() => true);
  const newWords = right.map(() => true);
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  oldWords.fill(false, 0, start).fill(false, left.length - end);
  newWords.fill(false, 0, start).fill(false, right.length - end);
  const rows = left.length - end - start;
  const columns = right.length - end - start;
  if (rows > COMPARED_WORDS || columns > COMPARED_WORDS) return [oldWords, left, newWords, right];
  /** The length of what both have in common from a word on. */
  const common = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const at = (/** @type {number} */ row, /** @type {number} */ column) => common[row]?.[column] ?? 0;
  const equal = (/** @type {number} */ row, /** @type {number} */ column) =>
    left[start + row] === right[start + column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const longer = Math.max(at(row + 1, column), at(row, column + 1));
      /** @type {Uint16Array} */ (common[row])[column] = equal(row, column)
        ? at(row + 1, column + 1) + 1
        : longer;
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (equal(row, column)) {
      oldWords[start + row] = newWords[start + column] = false;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return [oldWords, left, newWords, right];
}

/**
 * The eight numbers of both, and their differences. Each is a button for both texts.
 *
 * @param {[Context, Context]} contexts
 */
function drawDifferences([left, right]) {
  const tiles = element("div", "sm-attributes", { role: "group", "aria-label": "Attributes" });
  const legend = element("div", "sm-legend", {});
  /** @type {[string, HTMLButtonElement][]} */
  const buttons = [];
  const { signal } = right;
  right.shown.attributes.forEach(({ name, meaning, figure }, index) => {
    const was = left.shown.attributes[index]?.figure ?? 0;
    const about = element("span", "", { id: `${right.id}-${name}`, hidden: "" }, meaning);
    const tile = button(
      "sm-attribute",
      { "data-attribute": name, "aria-pressed": "false", "aria-describedby": about.id },
      element("span", "sm-figure", {}, element("small", "", {}, `${counted(was)} → `), counted(figure)),
      " ",
      element("span", "sm-name", {}, name),
    );
    if (figure !== was) tile.append(" ", element("span", "sm-change", {}, signed(figure - was)));
    const toggle = () => {
      const chosen = right.store.get("attribute") === name ? null : name;
      left.store.set("attribute", chosen);
      right.store.set("attribute", chosen);
    };
    tile.addEventListener("click", toggle, { signal });
    buttons.push([name, tile]);
    tiles.append(tile, about);
  });
  const press = () => {
    const chosen = right.store.get("attribute");
    for (const [name, tile] of buttons) tile.setAttribute("aria-pressed", String(name === chosen));
    const attribute = right.shown.attributes.find(({ name }) => name === chosen);
    const hint = "Each number leads to the lines that it was counted from, on both sides.";
    legend.replaceChildren(
      attribute
        ? element("span", "", {}, element("b", "", {}, attribute.name), ` ${attribute.meaning}`)
        : hint,
    );
  };
  right.store.on("attribute", press, signal);
  press();
  return [tiles, legend];
}

/**
 * Both texts in one pane, with what differs.
 *
 * @param {[Context, Context]} contexts
 * @param {Stretch[]} stretches
 * @param {boolean} oneText
 */
function drawTexts(contexts, stretches, oneText) {
  const [left, right] = contexts;
  const kinds = oneText ? contexts.map(({ shown }) => kindsOf(shown)) : [];
  const { signal, visible } = right;
  const pane = element("div", "sm-source sm-diff", {
    role: "group",
    tabindex: "0",
    "aria-label": oneText ? "The text, as either counts it" : "Both texts, and what differs",
  });
  pane.classList.toggle("sm-one-text", oneText);
  /** @type {[Map<number, HTMLElement>, Map<number, HTMLElement>]} Each side's drawn lines. */
  const drawn = [new Map(), new Map()];

  /** @param {0 | 1} side @param {number} line */
  const paint = (side, line) => {
    const cell = drawn[side].get(line);
    if (!cell) return;
    const context = contexts[side];
    const [first, last] = selected(context) ?? [0, 0];
    cell.toggleAttribute("data-selected", first <= line && line <= last);
    const chosen = context.store.get("attribute");
    const evidence = context.shown.attributes.find(({ name }) => name === chosen)?.evidence ?? [];
    cell.toggleAttribute("data-evidence", evidence.some(([a, b]) => a <= line && line <= b));
  };
  /**
   * @param {0 | 1} side
   * @param {number} line  0 where the side has none.
   * @param {(Node | string)[]} content
   * @param {boolean} changed
   */
  const makeCell = (side, line, content, changed) => {
    const cell = element("div", "sm-cell", { "data-side": String(side) });
    if (line === 0) return cell;
    const kind = kinds[side]?.[line - 1] ?? "";
    const sign = changed ? kind || (side === 0 ? "−" : "+") : "";
    cell.setAttribute("data-line", String(line));
    if (changed) cell.setAttribute("data-changed", sign);
    const text = element("span", "sm-words", { dir: "auto" }, ...content);
    const number = element("span", "sm-n", { "aria-hidden": "true" }, String(line));
    cell.append(number, element("span", "sm-sign", {}, sign), text);
    drawn[side].set(line, cell);
    paint(side, line);
    return cell;
  };
  /** @param {boolean[]} changed @param {string[]} words */
  const marked = (changed, words) => {
    /** @type {(Node | string)[]} */
    const parts = [];
    words.forEach((word, n) => {
      const part = visible(word);
      const last = parts.at(-1);
      if (changed[n] && n > 0 && changed[n - 1] && last instanceof Element) last.append(part);
      else parts.push(changed[n] ? element("b", "sm-word", {}, part) : part);
    });
    return parts;
  };

  /** @type {(() => HTMLElement | null)[]} What is still to be drawn, row by row. */
  const rows = [];
  /** @type {[number, number][]} The first lines of each change. */
  const changes = [];
  /** @param {number} l @param {number} r */
  const same = (l, r) =>
    element(
      "div",
      "sm-pair",
      {},
      makeCell(0, l, [visible(left.shown.lines[l - 1] ?? "")], false),
      makeCell(1, r, [visible(right.shown.lines[r - 1] ?? "")], false),
    );
  /** @param {number} l @param {number} r  0 for none. */
  const different = (l, r) => {
    const before = left.shown.lines[l - 1] ?? "";
    const after = right.shown.lines[r - 1] ?? "";
    const whole = l === 0 || r === 0;
    const [oldMarks, oldWords, newMarks, newWords] = whole
      ? [[], [before], [], [after]]
      : changedWords(before, after);
    return element(
      "div",
      "sm-pair",
      {},
      makeCell(0, l, marked(oldMarks, oldWords), true),
      makeCell(1, r, marked(newMarks, newWords), true),
    );
  };
  /** @param {number} l @param {number} r @param {number} count */
  const folded = (l, r, count) => {
    const fold = button("sm-fold", {}, `${several(count, "line")} ${oneText ? "alike" : "unchanged"}`);
    const unfold = () => {
      const made = Array.from({ length: count }, (_, n) => same(l + n, r + n));
      fold.replaceWith(...made);
    };
    fold.addEventListener("click", unfold, { signal });
    return fold;
  };
  let l = 1;
  let r = 1;
  stretches.forEach(([isSame, ofLeft, ofRight], place) => {
    const [fromLeft, fromRight] = [l, r];
    if (isSame) {
      const head = place === 0 ? 0 : AROUND;
      const tail = place === stretches.length - 1 ? 0 : AROUND;
      const hidden = ofLeft - head - tail;
      for (let n = 0; n < ofLeft; n += 1) {
        if (hidden > 1 && n === head) {
          rows.push(() => folded(fromLeft + head, fromRight + head, hidden));
          n += hidden - 1;
        } else rows.push(() => same(fromLeft + n, fromRight + n));
      }
    } else {
      changes.push([ofLeft > 0 ? l : 0, ofRight > 0 ? r : 0]);
      for (let n = 0; n < Math.max(ofLeft, ofRight); n += 1) {
        rows.push(() =>
          different(n < ofLeft ? fromLeft + n : 0, n < ofRight ? fromRight + n : 0),
        );
      }
    }
    l += ofLeft;
    r += ofRight;
  });
  let next = 0;
  const step = () => {
    const made = document.createDocumentFragment();
    for (const end = Math.min(next + ROWS, rows.length); next < end; next += 1) {
      made.append(rows[next]?.() ?? "");
    }
    pane.append(made);
    return next < rows.length;
  };
  if (step()) whenIdle(step, signal);

  for (const side of /** @type {const} */ ([0, 1])) {
    const update = () => drawn[side].forEach((_, line) => paint(side, line));
    contexts[side].store.on("selection", update, signal);
    contexts[side].store.on("attribute", update, signal);
  }
  // With Shift a click would select the text from the last one on.
  const keepText = (/** @type {MouseEvent} */ event) => event.shiftKey && event.preventDefault();
  pane.addEventListener("mousedown", keepText, { signal });
  /** Where a selection was begun, where it has come to, and on which side. */
  const cursor = { side: /** @type {0 | 1} */ (0), from: 0, to: 0 };
  /** @param {0 | 1} side @param {number} line @param {boolean} extend */
  const choose = (side, line, extend) => {
    const goesOn = extend && side === cursor.side && selected(contexts[side]) !== null;
    Object.assign(cursor, { side, from: goesOn ? cursor.from : line, to: line });
    select(contexts[side], cursor.from, line);
  };
  pane.addEventListener(
    "click",
    (event) => {
      const cell = event.target instanceof Element ? event.target.closest(".sm-cell") : null;
      const line = Number(cell?.getAttribute("data-line"));
      const text = getSelection();
      if (!line || (text && !text.isCollapsed && pane.contains(text.anchorNode))) return;
      choose(cell?.getAttribute("data-side") === "0" ? 0 : 1, line, event.shiftKey);
    },
    { signal },
  );
  // Up and down go on one side from line to line that stands there, left and right to the other side.
  pane.addEventListener(
    "keydown",
    (event) => {
      const { key, shiftKey } = event;
      if (event.target !== pane || event.altKey || event.ctrlKey || event.metaKey) return;
      const { side, to } = cursor;
      while (key === "End" && next < rows.length) step();
      /** @type {0 | 1} */
      const sideways = key === "ArrowLeft" ? 0 : key === "ArrowRight" ? 1 : side;
      const stand = [...drawn[side].keys()].sort((a, b) => a - b);
      /** @type {Record<string, number | undefined>} */
      const targets = {
        ArrowDown: stand.find((line) => line > to) ?? stand.at(-1),
        ArrowUp: stand.findLast((line) => line < to) ?? stand[0],
        Home: stand[0],
        End: stand.at(-1),
      };
      const beside = drawn[side].get(to)?.parentElement?.querySelector(`[data-side="${sideways}"]`);
      const target = sideways === side ? targets[key] : Number(beside?.getAttribute("data-line"));
      if (key === "Escape") for (const { store } of contexts) store.set("selection", null);
      else if (target) {
        choose(sideways, target, shiftKey && sideways === side);
        seek(drawn[sideways].get(target));
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
    { signal },
  );
  /** Scroll a line into the pane, and never the page. @param {HTMLElement | undefined} cell */
  const seek = (cell) => {
    if (!cell) return;
    const around = pane.getBoundingClientRect();
    const { top, bottom } = cell.getBoundingClientRect();
    if (top < around.top || bottom > around.bottom) {
      pane.scrollTop += top - around.top - pane.clientHeight / 4;
    }
  };

  /** @type {number} */
  let at = -1;
  const where = element("span", "sm-caption", { role: "status" });
  const tell = () => {
    const what = oneText ? "difference" : "change";
    const none = `the texts are the same${oneText ? ", and every line counts alike" : ""}`;
    where.textContent = changes.length === 0 ? none : several(changes.length, what);
    if (at >= 0) where.textContent = `${what} ${at + 1} of ${changes.length}`;
  };
  /** @param {1 | -1} way */
  const go = (way) => {
    if (changes.length === 0) return;
    at = (at + way + changes.length) % changes.length;
    while (next < rows.length) step();
    const [toLeft, toRight] = changes[at] ?? [0, 0];
    const cell = toRight > 0 ? drawn[1].get(toRight) : drawn[0].get(toLeft);
    seek(cell);
    if (toLeft > 0) choose(0, toLeft, false);
    if (toRight > 0) choose(1, toRight, false);
    tell();
  };
  const previous = button("sm-step", { "aria-label": "Previous change" }, "‹");
  const following = button("sm-step", { "aria-label": "Next change" }, "›");
  previous.addEventListener("click", () => go(-1), { signal });
  following.addEventListener("click", () => go(1), { signal });
  tell();
  const tools = element("div", "sm-tools", {}, where, previous, following);
  return element("div", "sm-text", {}, element("div", "sm-lines", {}, tools, pane));
}

/**
 * Draw a comparison into an element.
 *
 * @param {[Store, Store]} stores
 * @param {Compared} compared
 * @param {HTMLElement} el
 */
export function renderComparison(stores, { names, sides, stretches, one_text: oneText }, el) {
  const stop = new AbortController();
  const { signal } = stop;
  const root = element("div", "shape-magic");
  shareKeys(root, signal);
  const visible = visibleBy({ ...sides[0].symbols, ...sides[1].symbols });
  /** @param {0 | 1} side @returns {Context} */
  const contextOf = (side) => ({
    shown: sides[side],
    store: stores[side],
    signal,
    visible,
    id: `sm-${Math.random().toString(36).slice(2)}`,
  });
  /** @type {[Context, Context]} */
  const contexts = [contextOf(0), contextOf(1)];
  const [before, after] = names.map(visible);
  const body = element(
    "div",
    "sm-body",
    { role: "group", "aria-label": `${after} against ${before}` },
    element(
      "div",
      "sm-header",
      {},
      element("bdi", "sm-title", {}, after ?? ""),
      element("span", "sm-facts", {}, `against ${before}`),
    ),
    ...drawDifferences(contexts),
    drawTexts(contexts, stretches, oneText ?? false),
    element("div", "sm-both", {}, ...contexts.flatMap(drawSelection)),
  );
  for (const { name, colour } of sides[0].kinds) body.style.setProperty(`--sm-${name}`, colour);
  root.append(body);
  el.classList.add("shape-magic-host");
  el.append(root);
}
