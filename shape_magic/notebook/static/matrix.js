// @ts-check
/**
 * Scores as a matrix: a row a candidate, a column a score or an arm. Rows unfold to what each
 * evaluator gave in each trial, and a cell leads to the text, to what was said of it, to the reply
 * as it came and to the prompt as it was shown.
 *
 * The figures stand in the page. Texts, replies and prompts are asked of the kernel, or stand in
 * the page where it was made to be sent.
 */

import {
  PATIENCE,
  Store,
  button,
  copyButton,
  counted,
  element,
  render,
  several,
  shareKeys,
  toWire,
  visibleBy,
  whenIdle,
} from "./view.js";

/**
 * @import { Shown } from "./view.js"
 *
 * @typedef {number | null | undefined} Figure
 *
 * @typedef {object} Score  A figure that evaluators give, or that follows from what they gave.
 * @property {string} name
 * @property {string} meaning
 * @property {number} digits
 * @property {boolean} signed
 * @property {number | null} most
 *
 * @typedef {object} Given  What an evaluator gave a candidate, in one trial or, as trial 0, in all.
 * @property {string} evaluator
 * @property {number} trial
 * @property {boolean} synthetic
 * @property {(Figure[] | null)[]} arms  By arm, the scores that are given, then a prompt's number.
 *
 * @typedef {object} Row
 * @property {number} round
 * @property {string} agent
 * @property {number | null} version
 * @property {string} text
 * @property {number[] | null} shape
 * @property {(Figure[] | null)[]} scores  By arm.
 * @property {Given[] | null} given
 *
 * @typedef {object} Matrix  What `shape_magic.notebook.matrix` writes.
 * @property {number} format
 * @property {string} digest
 * @property {string} title
 * @property {string[]} arms
 * @property {string | null} score
 * @property {Score[]} scores
 * @property {[name: string, meaning: string][]} attributes
 * @property {Row[]} rows
 * @property {number} rest
 * @property {string[]} prompts
 * @property {boolean} opens
 * @property {Record<string, any> | null} held  What the page itself has to be opened.
 * @property {Record<string, string>} symbols
 *
 * @typedef {object} Column
 * @property {string} key
 * @property {string} group
 * @property {string} name
 * @property {string} meaning
 * @property {Score} score
 * @property {boolean} colour
 * @property {number | null} arm  The arm that a cell of it opens.
 * @property {(row: Row) => Figure} figure
 * @property {(given: Given) => Figure} given
 *
 * @typedef {object} Said  An evaluation; its claims stand in the view.
 * @property {string} evaluator
 * @property {string} arm
 * @property {number} trial
 * @property {string} facts
 * @property {string} justification
 * @property {string | null} prompt
 * @property {string | null} key
 *
 * @typedef {object} Kept  A reply that was asked for, as it came.
 * @property {number} attempt
 * @property {string | null} reply
 * @property {string | null} error
 * @property {string} outcome
 * @property {string[]} told
 */

/** Rows that are drawn at once, or unfolded, and in each step after that. */
const ROWS_AT_ONCE = 60;
const UNFOLDED_AT_ONCE = 5;
/** Characters of a reply or of a prompt that are drawn; what is copied is whole. */
const DRAWN = 200_000;

const BY_SCORES = "scores";
const BY_ARMS = "arms";
/** What rows are sorted by where it is no column. */
const BY_DIFFERENCE = "difference";

/**
 * Round as Python does: what lies in the middle goes to the even digit.
 *
 * @param {number} figure
 * @param {number} digits
 */
function fixed(figure, digits) {
  const size = Math.abs(figure);
  const scaled = size * 10 ** digits;
  // Only a figure that binary digits hold can lie in the middle.
  const middle = scaled % 1 === 0.5 && (size * 1024) % 1 === 0;
  const whole = Math.floor(scaled);
  const rounded = middle && whole % 2 === 0 ? whole / 10 ** digits : size;
  const [before = "", after] = rounded.toFixed(digits).split(".");
  return counted(Number(before)) + (after === undefined ? "" : `.${after}`);
}

/**
 * @param {Score} score
 * @param {Figure} figure
 */
function written({ digits, signed }, figure) {
  if (figure === null || figure === undefined) return "-";
  const sign = figure < 0 || Object.is(figure, -0) ? "−" : signed ? "+" : "";
  return sign + fixed(figure, digits);
}

/**
 * @param {Figure} more
 * @param {Figure} less
 */
function difference(more, less) {
  const unknown = more === null || more === undefined || less === null || less === undefined;
  return unknown ? null : more - less;
}

/** @param {Figure[]} figures */
function spread(figures) {
  const there = figures.filter((figure) => typeof figure === "number");
  return there.length > 1 ? Math.max(...there) - Math.min(...there) : null;
}

/**
 * What a reader has chosen of a matrix, and what follows from it.
 */
class Layout {
  /** @param {Matrix} matrix */
  constructor(matrix) {
    this.matrix = matrix;
    const at = matrix.scores.findIndex(({ name }) => name === matrix.score);
    this.by = at < 0 ? BY_SCORES : BY_ARMS;
    this.arm = 0;
    /** The score that arms are compared by. */
    this.score = at < 0 ? matrix.scores.findIndex(({ name }) => name === "conciseness") : at;
    /** The arm that differences are less. */
    this.base = 0;
  }

  /** @param {number} arm */
  armName(arm) {
    return this.matrix.arms[arm] || "(no arm)";
  }

  /** @returns {Column[]} */
  get columns() {
    return this.by === BY_ARMS ? this.#arms() : this.#scores();
  }

  /** @returns {Column[]} */
  #scores() {
    const { arm } = this;
    const columns = this.matrix.scores
      .map((score, at) => ({
        key: score.name,
        group: "",
        name: score.name,
        meaning: score.meaning,
        score,
        colour: score.signed,
        arm,
        figure: (/** @type {Row} */ row) => row.scores[arm]?.[at],
        given: (/** @type {Given} */ { arms }) => (score.signed ? arms[arm]?.[at] : null),
      }))
      .filter(({ name }) => name !== "endorsement_weight");
    // Conciseness and the shape that it is scored from stand side by side.
    return [...columns.slice(0, 2), ...this.#shape(""), ...columns.slice(2)];
  }

  /** @returns {Column[]} */
  #arms() {
    const { matrix, base } = this;
    const at = this.score;
    const score = /** @type {Score} */ (matrix.scores[at]);
    const all = matrix.arms.map((_, arm) => arm);
    const columns = all.map((arm) => ({
      key: `arm ${arm}`,
      group: score.name,
      name: this.armName(arm),
      meaning: `${score.meaning}, in the arm ${this.armName(arm)}`,
      score,
      colour: true,
      arm,
      figure: (/** @type {Row} */ row) => row.scores[arm]?.[at],
      given: (/** @type {Given} */ { arms }) => arms[arm]?.[at],
    }));
    /** @type {Column[]} */
    const differences = all
      .filter((arm) => arm !== base)
      .map((arm) => ({
        key: `difference ${arm}`,
        group: `less ${this.armName(base)}`,
        name: this.armName(arm),
        meaning: `the difference: ${this.armName(arm)} less ${this.armName(base)}`,
        score,
        colour: true,
        arm,
        figure: ({ scores }) => difference(scores[arm]?.[at], scores[base]?.[at]),
        given: ({ arms }) => difference(arms[arm]?.[at], arms[base]?.[at]),
      }));
    if (all.length > 2) {
      differences.push({
        key: "spread",
        group: "",
        name: "largest difference",
        meaning: "the difference between the arm that gave most and the one that gave least",
        score: { ...score, signed: false },
        colour: false,
        arm: null,
        figure: ({ scores }) => spread(scores.map((figures) => figures?.[at])),
        given: ({ arms }) => spread(arms.map((figures) => figures?.[at])),
      });
    }
    return [...columns, ...differences, ...this.#shape("shape")];
  }

  /**
   * @param {string} group
   * @returns {Column[]}
   */
  #shape(group) {
    return this.matrix.attributes.map(([name, meaning], at) => ({
      key: name,
      group,
      name,
      meaning,
      score: { name, meaning, digits: 0, signed: false, most: null },
      colour: false,
      arm: null,
      figure: ({ shape }) => shape?.[at],
      given: () => null,
    }));
  }

  /**
   * How far a row's figures lie apart: its arms', or its evaluators' in the category where most.
   *
   * @param {Row} row
   * @returns {Figure}
   */
  apart(row) {
    if (this.by === BY_ARMS) return spread(row.scores.map((figures) => figures?.[this.score]));
    const evaluators = new Map((row.given ?? []).map((given) => [given.evaluator, given]));
    for (const given of row.given ?? []) if (given.trial === 0) evaluators.set(given.evaluator, given);
    const figures = [...evaluators.values()].map(({ arms }) => arms[this.arm]);
    const all = this.matrix.scores
      .map((score, at) => (score.most === null ? null : spread(figures.map((each) => each?.[at]))))
      .filter((figure) => typeof figure === "number");
    return all.length > 0 ? Math.max(...all) : null;
  }
}

/**
 * The table, as a tree grid: one stop of the Tab key, in which the arrow keys move.
 *
 * @param {Matrix} matrix
 * @param {Layout} layout
 * @param {AbortSignal} signal
 * @param {(text: string) => string} visible
 * @param {(row: Row, arm: number | null, given: Given | null) => void} open
 */
function drawTable(matrix, layout, signal, visible, open) {
  const rounds = new Set(matrix.rows.map(({ round }) => round)).size > 1;
  const table = element("table", "sm-table", { role: "treegrid", "aria-label": matrix.title });
  const pane = element("div", "sm-matrix", {}, table);
  /** @type {{ key: string, down: boolean } | null} */
  let sorted = null;
  /** @type {Column[]} */
  let columns = [];
  /** @type {Map<string, number>} The figure that has a column's strongest colour. */
  let most = new Map();
  /** @type {HTMLTableSectionElement} */
  let body = element("tbody", "");
  /** @type {Map<Row, HTMLTableRowElement>} */
  let drawn = new Map();
  /** @type {Map<Row, HTMLTableRowElement[]>} */
  let unfolded = new Map();
  /** @type {WeakMap<Element, { row: Row, given: Given | null }>} */
  const means = new WeakMap();
  /** @type {HTMLElement | null} The cell that the Tab key leads to. */
  let stop = null;
  let redrawn = new AbortController();
  let unfolding = new AbortController();
  const ended = () => {
    redrawn.abort();
    unfolding.abort();
  };
  signal.addEventListener("abort", ended, { once: true });

  /** @param {HTMLElement | null} cell @param {boolean} [focus] */
  const goTo = (cell, focus = true) => {
    if (!cell) return;
    stop?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    stop = cell;
    if (focus) cell.focus();
  };

  /** @param {Column} column @param {Figure} figure */
  const cellOf = (column, figure) => {
    const cell = element("td", "", { tabindex: "-1" }, written(column.score, figure));
    if (column.colour && figure) {
      const strongest = most.get(column.key) ?? 0;
      const strength = strongest > 0 ? Math.min(1, Math.abs(figure) / strongest) : 0;
      cell.setAttribute("data-sign", figure > 0 ? "more" : "less");
      cell.style.setProperty("--sm-strength", `${Math.round(strength * 40)}%`);
    }
    return cell;
  };

  /** @param {Row} row */
  const rowOf = (row) => {
    const name = visible(row.agent);
    const where = rounds ? `${name}, round ${row.round}` : name;
    const head = element("th", "sm-candidate", { scope: "row", tabindex: "-1" });
    const made = element("tr", "", { "aria-level": "1" }, head);
    if (row.given && row.given.length > 0) {
      const unfold = button("sm-unfold", { tabindex: "-1", "aria-label": `Unfold ${where}` });
      head.append(unfold);
      made.setAttribute("aria-expanded", "false");
    } else head.append(element("span", "sm-unfold", { "aria-hidden": "true" }));
    const label = element("bdi", "sm-label", { title: name }, name);
    head.append(
      matrix.opens
        ? button("sm-open", { tabindex: "-1", "aria-label": `Open ${where}` }, label)
        : label,
    );
    if (rounds) made.append(element("td", "", { tabindex: "-1" }, String(row.round)));
    made.append(...columns.map((column) => cellOf(column, column.figure(row))));
    means.set(made, { row, given: null });
    return made;
  };

  /** @param {Row} row @param {Given} given */
  const lineOf = (row, given) => {
    const several = row.given?.some(
      ({ evaluator, trial }) => evaluator === given.evaluator && trial === 0,
    );
    const within = several && given.trial > 0;
    const who = within ? `trial ${given.trial}` : visible(given.evaluator);
    const label = element("bdi", "sm-label", {}, given.synthetic ? `${who} (synthetic)` : who);
    const head = element("th", "sm-candidate", { scope: "row", tabindex: "-1" }, label);
    const made = element("tr", "sm-given", { "aria-level": within ? "3" : "2" }, head);
    if (rounds) made.append(element("td", "", { tabindex: "-1" }));
    for (const column of columns) {
      const figure = column.given(given);
      const cell = cellOf(column, figure);
      if (figure === null || figure === undefined) cell.textContent = "";
      made.append(cell);
    }
    means.set(made, { row, given });
    return made;
  };

  /** @param {Row} row @param {boolean} [wanted] */
  const unfold = (row, wanted = !unfolded.has(row)) => {
    const made = drawn.get(row);
    if (!made || !row.given || row.given.length === 0 || wanted === unfolded.has(row)) return;
    if (wanted) {
      const lines = row.given.map((given) => lineOf(row, given));
      made.after(...lines);
      unfolded.set(row, lines);
    } else {
      const lines = unfolded.get(row) ?? [];
      const focused = lines.some((line) => line.contains(document.activeElement));
      for (const line of lines) line.remove();
      unfolded.delete(row);
      const head = /** @type {HTMLElement} */ (made.firstElementChild);
      if (!stop?.isConnected) goTo(head, focused);
    }
    made.setAttribute("aria-expanded", String(wanted));
    const sign = made.querySelector(".sm-unfold");
    const where = sign?.getAttribute("aria-label")?.replace(/^(Unfold|Fold) /, "") ?? "";
    sign?.setAttribute("aria-label", `${wanted ? "Fold" : "Unfold"} ${where}`);
  };

  /** @param {Row[]} rows @param {boolean} wanted */
  const unfoldEach = (rows, wanted) => {
    unfolding.abort();
    unfolding = new AbortController();
    finish();
    let next = 0;
    const step = () => {
      const end = Math.min(next + UNFOLDED_AT_ONCE, rows.length);
      for (; next < end; next += 1) unfold(/** @type {Row} */ (rows[next]), wanted);
      return next < rows.length;
    };
    if (step()) whenIdle(step, unfolding.signal);
  };

  /** @returns {Row[]} */
  const inOrder = () => {
    if (sorted === null) return matrix.rows;
    const { key, down } = sorted;
    const column = columns.find((each) => each.key === key);
    /** @type {(row: Row) => Figure | string} */
    let by = (row) => column?.figure(row);
    if (key === "agent") by = (row) => row.agent;
    if (key === "round") by = (row) => row.round;
    if (key === BY_DIFFERENCE) by = (row) => layout.apart(row);
    return matrix.rows
      .map((row) => /** @type {const} */ ([row, by(row)]))
      .sort(([, a], [, b]) => {
        // What is missing stays last either way.
        const [left, right] = [a ?? null, b ?? null];
        if (left === null || right === null) return Number(left === null) - Number(right === null);
        const order = left < right ? -1 : left > right ? 1 : 0;
        return down ? -order : order;
      })
      .map(([row]) => row);
  };

  const arrange = () => {
    const rows = inOrder();
    finish();
    const arranged = document.createDocumentFragment();
    for (const row of rows) {
      arranged.append(/** @type {Node} */ (drawn.get(row)), ...(unfolded.get(row) ?? []));
    }
    body.append(arranged);
    for (const head of table.tHead?.querySelectorAll("[data-key]") ?? []) {
      const own = head.getAttribute("data-key") === sorted?.key;
      if (own) head.setAttribute("aria-sort", sorted?.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  };

  /** @param {string} key */
  const sortBy = (key) => {
    const again = sorted?.key === key;
    const down = again ? !sorted?.down : key !== "agent" && key !== "round";
    sorted = { key, down: key === BY_DIFFERENCE || down };
    arrange();
    tell();
  };

  /** @type {(() => void)[]} Who wants to hear that the order has changed. */
  const heard = [];
  const tell = () => heard.forEach((hear) => hear());

  let finish = () => {};

  const draw = () => {
    unfolding.abort();
    redrawn.abort();
    redrawn = new AbortController();
    columns = layout.columns;
    most = new Map(
      columns.map((column) => {
        const figures = matrix.rows.map((row) => Math.abs(column.figure(row) ?? 0));
        return [column.key, column.score.most ?? Math.max(0, ...figures)];
      }),
    );
    if (!columns.some(({ key }) => key === sorted?.key) && sorted?.key !== BY_DIFFERENCE) {
      if (sorted?.key !== "agent" && sorted?.key !== "round") sorted = null;
    }
    const open = [...unfolded.keys()];
    drawn = new Map();
    unfolded = new Map();
    body = element("tbody", "");
    const rows = inOrder();
    let next = 0;
    const step = () => {
      const made = document.createDocumentFragment();
      for (const end = Math.min(next + ROWS_AT_ONCE, rows.length); next < end; next += 1) {
        const row = /** @type {Row} */ (rows[next]);
        const line = rowOf(row);
        drawn.set(row, line);
        made.append(line);
      }
      body.append(made);
      return next < rows.length;
    };
    finish = () => {
      while (next < rows.length) step();
    };
    if (step()) whenIdle(step, redrawn.signal);
    table.replaceChildren(drawHead(), body);
    if (open.length > 0) unfoldEach(open, true);
    arrangeSort();
    goTo(/** @type {HTMLElement | null} */ (body.querySelector("th") ?? table.querySelector("th")), false);
    tell();
  };

  const arrangeSort = () => {
    const head = table.tHead?.querySelector(`[data-key="${CSS.escape(sorted?.key ?? "")}"]`);
    head?.setAttribute("aria-sort", sorted?.down ? "descending" : "ascending");
  };

  const drawHead = () => {
    /** @param {string} key @param {string} name @param {string} meaning */
    const heading = (key, name, meaning) =>
      element(
        "th",
        key === "agent" ? "sm-candidate" : "",
        { scope: "col", tabindex: "-1", "data-key": key, ...(meaning ? { title: meaning } : {}) },
        visible(name),
      );
    const row = element("tr", "", {}, heading("agent", "agent_id", ""));
    if (rounds) row.append(heading("round", "round", ""));
    row.append(...columns.map(({ key, name, meaning }) => heading(key, name, visible(meaning))));
    const head = element("thead", "");
    if (columns.some(({ group }) => group)) {
      const above = element("tr", "sm-groups", {}, element("td", "sm-candidate", {}));
      if (rounds) above.append(element("td", ""));
      for (let at = 0; at < columns.length; ) {
        const group = columns[at]?.group ?? "";
        let end = at;
        while (columns[end]?.group === group) end += 1;
        above.append(
          group
            ? element("th", "", { scope: "colgroup", colspan: String(end - at) }, visible(group))
            : element("td", "", { colspan: String(end - at) }),
        );
        at = end;
      }
      head.append(above);
    }
    head.append(row);
    return head;
  };

  /** @param {Element} cell */
  const press = (cell) => {
    const key = cell.getAttribute("data-key");
    if (key !== null) {
      sortBy(key);
      return;
    }
    const meant = means.get(/** @type {Element} */ (cell.parentElement));
    if (!meant || !matrix.opens) return;
    const at = [...(cell.parentElement?.children ?? [])].indexOf(cell) - 1 - Number(rounds);
    open(meant.row, columns[at]?.arm ?? null, meant.given);
  };

  table.addEventListener(
    "click",
    (event) => {
      const target = event.target instanceof Element ? event.target : null;
      const cell = /** @type {HTMLElement | null} */ (target?.closest("[tabindex]:is(td, th)"));
      if (!cell) return;
      goTo(cell);
      const meant = means.get(/** @type {Element} */ (cell.parentElement));
      if (target?.closest("button.sm-unfold") && meant) unfold(meant.row);
      else press(cell);
    },
    { signal },
  );
  table.addEventListener(
    "keydown",
    (event) => {
      const cell = /** @type {HTMLElement | null} */ (
        event.target instanceof Element ? event.target.closest("[tabindex]:is(td, th)") : null
      );
      const row = cell?.parentElement;
      if (!cell || !row || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const cells = [...row.querySelectorAll(":scope > [tabindex]")];
      const at = cells.indexOf(cell);
      finish();
      const lines = [...table.querySelectorAll("tr:has(> [tabindex])")];
      const line = lines.indexOf(row);
      /** @param {number} to @param {number} [column] */
      const move = (to, column = at) => {
        const wanted = lines[Math.min(Math.max(to, 0), lines.length - 1)];
        const among = [...(wanted?.querySelectorAll(":scope > [tabindex]") ?? [])];
        goTo(/** @type {HTMLElement} */ (among[Math.min(Math.max(column, 0), among.length - 1)]));
      };
      /** @type {Record<string, () => void>} */
      const acts = {
        ArrowDown: () => move(line + 1),
        ArrowUp: () => move(line - 1),
        ArrowRight: () => move(line, at + 1),
        ArrowLeft: () => move(line, at - 1),
        PageDown: () => move(line + 10),
        PageUp: () => move(line - 10),
        Home: () => move(line, 0),
        End: () => move(line, cells.length - 1),
        Enter: () => press(cell),
        " ": () => {
          const meant = means.get(row);
          if (meant) unfold(meant.row);
          else press(cell);
        },
      };
      const act = acts[event.key];
      if (!act) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
    { signal },
  );
  draw();
  return {
    pane,
    draw,
    sortBy,
    /** @param {boolean} wanted */
    unfoldAll: (wanted) => unfoldEach(inOrder(), wanted),
    sortedBy: () => sorted?.key ?? null,
    /** @param {() => void} hear */
    onSort: (hear) => heard.push(hear),
    focus: () => stop?.focus({ preventScroll: true }),
  };
}

/**
 * What stands above the table: which columns there are, and in which order the rows.
 *
 * @param {Matrix} matrix
 * @param {Layout} layout
 * @param {ReturnType<typeof drawTable>} table
 * @param {AbortSignal} signal
 * @param {(text: string) => string} visible
 */
function drawChoices(matrix, layout, table, signal, visible) {
  const choices = element("div", "sm-choices", {});
  /**
   * @param {string} label
   * @param {[value: string, name: string][]} options
   * @param {string} chosen
   * @param {(value: string) => void} choose
   */
  const choice = (label, options, chosen, choose) => {
    const select = element("select", "", {});
    for (const [value, name] of options) select.append(new Option(visible(name), value));
    select.value = chosen;
    select.addEventListener("change", () => choose(select.value), { signal });
    return element("label", "sm-choice", {}, `${label} `, select);
  };
  /** @type {[string, string][]} */
  const arms = matrix.arms.map((_, arm) => [String(arm), layout.armName(arm)]);
  const apart = button("sm-apart", { "aria-pressed": "false" }, "largest difference first");
  apart.addEventListener("click", () => table.sortBy(BY_DIFFERENCE), { signal });
  table.onSort(() =>
    apart.setAttribute("aria-pressed", String(table.sortedBy() === BY_DIFFERENCE)),
  );
  const all = button("sm-all", { "aria-pressed": "false" }, "unfold all");
  all.addEventListener(
    "click",
    () => {
      const wanted = all.getAttribute("aria-pressed") !== "true";
      all.setAttribute("aria-pressed", String(wanted));
      table.unfoldAll(wanted);
    },
    { signal },
  );
  const unfolds = matrix.rows.some(({ given }) => given && given.length > 0);
  const draw = () => {
    /** @param {() => void} change */
    const changed = (change) => {
      change();
      table.draw();
      draw();
    };
    /** @type {Node[]} */
    const made = [];
    if (matrix.arms.length > 1) {
      /** @type {[string, string][]} */
      const ways = [BY_SCORES, BY_ARMS].map((way) => [way, way]);
      made.push(choice("columns", ways, layout.by, (by) => changed(() => (layout.by = by))));
      if (layout.by === BY_SCORES) {
        const choose = (/** @type {string} */ arm) => changed(() => (layout.arm = Number(arm)));
        made.push(choice("arm", arms, String(layout.arm), choose));
      } else {
        /** @type {[string, string][]} */
        const scores = matrix.scores.flatMap(({ name, signed }, at) =>
          signed ? [[String(at), name]] : [],
        );
        const choose = (/** @type {string} */ at) => changed(() => (layout.score = Number(at)));
        made.push(choice("score", scores, String(layout.score), choose));
        const less = (/** @type {string} */ arm) => changed(() => (layout.base = Number(arm)));
        made.push(choice("less", arms, String(layout.base), less));
      }
    }
    const focused = choices.contains(document.activeElement)
      ? [...choices.querySelectorAll("select")].findIndex((choice) => choice === document.activeElement)
      : -1;
    choices.replaceChildren(...made, apart, ...(unfolds ? [all] : []));
    choices.querySelectorAll("select")[focused]?.focus();
  };
  draw();
  return choices;
}

/**
 * What a cell opens, below the table.
 *
 * @param {Store} store
 * @param {Matrix} matrix
 * @param {Layout} layout
 * @param {AbortSignal} signal
 * @param {() => void} back  Leads the focus back to where it came from.
 */
function drawOpened(store, matrix, layout, signal, back) {
  const place = element("section", "sm-opened", { hidden: "" });
  let current = new AbortController();
  signal.addEventListener("abort", () => current.abort(), { once: true });

  const close = () => {
    current.abort();
    place.hidden = true;
    place.replaceChildren();
    back();
  };

  /**
   * Ask for something that the figures do not have.
   *
   * @param {unknown[]} about
   * @param {HTMLElement} status
   * @returns {Promise<any>}  null where it is not to be had; then the status says why.
   */
  const fetched = async (about, status) => {
    const own = current.signal;
    const written = toWire(about);
    if (matrix.held) {
      const held = matrix.held[written] ?? null;
      status.textContent = held ? "" : "This is not in the page: it holds what fits into it.";
      return held;
    }
    const kernel = store.get("kernel");
    if (!kernel) {
      status.textContent =
        "Texts, replies and prompts stay with the deliberation. They open here once a kernel has " +
        "run %load_ext shape_magic and opened its file by %deliberation PATH; " +
        "to_html(deliberation.matrix()) writes a page that holds them.";
      return null;
    }
    status.textContent = "…";
    const patience = setTimeout(() => {
      status.textContent = "The kernel is busy; all else works meanwhile.";
    }, PATIENCE);
    const answer = await kernel
      .ask(/** @type {any} */ (matrix), { ask: "open", about: written })
      .catch(() => null);
    clearTimeout(patience);
    if (own.aborted) return null;
    if (answer === null) {
      status.textContent = "The kernel is gone.";
      return null;
    }
    status.textContent = answer.reason ?? "";
    return answer.opened === undefined ? null : JSON.parse(answer.opened);
  };

  /**
   * A button that opens a text below it, and asks for it the first time.
   *
   * @param {string} name
   * @param {HTMLElement} below
   * @param {(status: HTMLElement) => Promise<Node[] | null>} make
   */
  const opener = (name, below, make) => {
    const made = button("sm-copy", { "aria-expanded": "false" }, name);
    const status = element("p", "sm-status", { role: "status" });
    const text = element("div", "", { hidden: "" }, status);
    below.append(text);
    let there = false;
    const toggle = async () => {
      text.hidden = !text.hidden;
      made.setAttribute("aria-expanded", String(!text.hidden));
      if (text.hidden || there) return;
      const nodes = await make(status);
      there = nodes !== null;
      text.replaceChildren(status, ...(nodes ?? []));
    };
    made.addEventListener("click", toggle, { signal: current.signal });
    return made;
  };

  /** @param {string} label @param {string} content @param {Record<string, string>} symbols */
  const textOf = (label, content, symbols) => {
    const rest = content.length - DRAWN;
    const drawn = visibleBy(symbols, DRAWN)(content.slice(0, DRAWN));
    const text = element(
      "pre",
      "sm-verbatim",
      { tabindex: "0", role: "group", "aria-label": label },
      rest > 0 ? `${drawn}\n… ${several(rest, "more character")}` : drawn,
    );
    const copy = copyButton(current, `copy ${label}`, () => content);
    return element("div", "sm-kept", {}, text, copy);
  };

  /** @param {Said} said @param {(text: string) => string} visible */
  const evaluationOf = (said, visible) => {
    const key = said.key === null ? "" : ` · shown as ${said.key}`;
    const below = element("div", "", {});
    const made = element(
      "article",
      "sm-evaluated",
      { tabindex: "-1", "aria-label": `What ${visible(said.evaluator)} said` },
      element(
        "div",
        "sm-header",
        {},
        element("bdi", "sm-title", {}, visible(said.evaluator)),
        element("span", "sm-facts", {}, visible(said.facts + key)),
      ),
      element("p", "sm-justification", { dir: "auto" }, visible(said.justification)),
    );
    if (said.prompt !== null) {
      const { prompt, evaluator, trial } = said;
      const reply = opener("the reply as it came", below, async (status) => {
        const opened = await fetched(["reply", prompt, evaluator, trial], status);
        if (opened === null) return null;
        /** @type {Kept[]} */
        const replies = opened.replies;
        if (replies.length === 0) {
          return ["It was not kept: run_evaluations keeps replies, and evaluate does not."].map(
            (words) => element("p", "sm-facts", {}, words),
          );
        }
        return replies.flatMap(({ attempt, reply: text, error, outcome, told }) => [
          element("p", "sm-facts", {}, `attempt ${attempt}: ${outcome || "not read yet"}`),
          ...told.map((message) => element("p", "sm-told", {}, visibleBy(opened.symbols)(message))),
          ...(error === null
            ? []
            : [element("p", "sm-told", {}, visibleBy(opened.symbols)(error))]),
          ...(text === null ? [] : [textOf("the reply", text, opened.symbols)]),
        ]);
      });
      const shown = opener("the prompt as it was shown", below, async (status) => {
        const opened = await fetched(["prompt", prompt], status);
        return opened === null ? null : [textOf("the prompt", opened.text, opened.symbols)];
      });
      made.append(element("div", "sm-copies", {}, reply, shown));
    }
    made.append(below);
    return made;
  };

  /**
   * @param {Row} row
   * @param {number | null} arm
   * @param {Given | null} given
   */
  const open = async (row, arm, given) => {
    current.abort();
    current = new AbortController();
    const own = current.signal;
    const visible = visibleBy(matrix.symbols);
    const title = element("bdi", "sm-title", { tabindex: "-1" }, visible(row.agent));
    const facts = [`round ${row.round}`, arm === null ? "" : visible(layout.armName(arm))];
    const shut = button("sm-copy sm-close", {}, "close");
    shut.addEventListener("click", close, { signal: own });
    const status = element("p", "sm-status", { role: "status" });
    const content = element("div", "sm-body", {});
    place.setAttribute("aria-label", `${visible(row.agent)}, round ${row.round}`);
    place.replaceChildren(
      element(
        "div",
        "sm-header",
        {},
        title,
        element("span", "sm-facts", {}, facts.filter(Boolean).join(" · ")),
        shut,
      ),
      status,
      content,
    );
    place.hidden = false;
    title.focus({ preventScroll: true });
    place.scrollIntoView({ block: "nearest" });
    const show = async () => {
      const about = ["candidate", row.round, row.agent, row.version, row.text];
      const opened = await fetched(about, status);
      if (opened === null || own.aborted) return false;
      const told = visibleBy(opened.symbols);
      /** @type {Said[]} */
      const all = opened.said;
      const wanted = all.filter((said) => arm === null || said.arm === matrix.arms[arm]);
      const articles = wanted.map((said) => evaluationOf(said, told));
      const chosen = wanted.findIndex(
        (said) =>
          given !== null &&
          said.evaluator === given.evaluator &&
          (given.trial === 0 || said.trial === given.trial),
      );
      const view = element("div", "", {});
      const inner = new Store({ shown: opened.view, kernel: store.get("kernel") });
      store.on("kernel", () => inner.set("kernel", store.get("kernel")), own);
      const remove = render(inner, view);
      own.addEventListener("abort", remove, { once: true });
      content.replaceChildren(view, ...articles);
      const article = articles[chosen];
      if (article) {
        article.setAttribute("data-chosen", "");
        article.focus({ preventScroll: true });
        article.scrollIntoView({ block: "nearest" });
      }
      return true;
    };
    if (await show()) return;
    // A kernel may come later: then it is asked.
    const again = () => store.get("kernel") && content.childElementCount === 0 && show();
    if (!own.aborted) store.on("kernel", again, own);
  };

  place.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close();
    },
    { signal },
  );
  return { place, open };
}

/**
 * Draw a matrix into an element.
 *
 * @param {Store} store  What it is linked by.
 * @param {Matrix} matrix
 * @param {HTMLElement} el
 * @returns {() => void}  Takes out all that was put in.
 */
export function renderMatrix(store, matrix, el) {
  const stop = new AbortController();
  const { signal } = stop;
  const root = element("div", "shape-magic");
  shareKeys(root, signal);
  const visible = visibleBy(matrix.symbols);
  const layout = new Layout(matrix);
  /** @type {ReturnType<typeof drawTable>} */
  let table;
  const opened = drawOpened(store, matrix, layout, signal, () => table.focus());
  table = drawTable(matrix, layout, signal, visible, opened.open);
  const evaluators = new Set(
    matrix.rows.flatMap(({ given }) => (given ?? []).map(({ evaluator }) => evaluator)),
  );
  const facts = [
    several(matrix.rows.length + matrix.rest, "candidate"),
    matrix.arms.length > 1 ? several(matrix.arms.length, "arm") : visible(matrix.arms[0] ?? ""),
    evaluators.size > 0 ? several(evaluators.size, "evaluator") : "",
    matrix.rest > 0 ? `the first ${counted(matrix.rows.length)} are shown` : "",
  ].filter(Boolean);
  const hint = matrix.opens
    ? "A heading sorts, ▸ or Space unfolds a row, a figure or Enter opens what was said."
    : "A heading sorts.";
  root.append(
    element(
      "div",
      "sm-body",
      { role: "group", "aria-label": `Scores of ${matrix.title}` },
      element(
        "div",
        "sm-header",
        {},
        element("span", "sm-title", {}, matrix.title),
        element("span", "sm-facts", {}, facts.join(" · ")),
      ),
      drawChoices(matrix, layout, table, signal, visible),
      table.pane,
      element("p", "sm-hint", {}, hint),
      opened.place,
    ),
  );
  el.classList.add("shape-magic-host");
  el.append(root);
  return () => {
    stop.abort();
    root.remove();
    el.classList.remove("shape-magic-host");
  };
}
