import type { HandlerKind } from '../decorators/handler.metadata.js';
import { ABSENT, PRESENT } from '../decorators/handler-options.js';
import { ObjectSelector } from '../resources/object-selector.js';
import { errorText } from '../common/texts.js';

/** Says what is wrong with an option's value, or nothing. */
type OptionRule = (value: unknown) => string | undefined;

const must =
  (requirement: string, isValid: (value: unknown) => boolean): OptionRule =>
  (value) =>
    isValid(value) ? undefined : `must be ${requirement}`;

const text = must('a non-empty string', (value) => typeof value === 'string' && value !== '');
const seconds = must('a number of seconds, not negative', (value) => typeof value === 'number' && value >= 0);
const duration = must('a number of seconds above 0', (value) => typeof value === 'number' && value > 0);
const delay = must(
  'a number of seconds, not negative, or a function',
  (value) => typeof value === 'function' || (typeof value === 'number' && value >= 0),
);
const count = must('a whole number, not negative', (value) => Number.isInteger(value) && (value as number) >= 0);
const flag = must('true or false', (value) => typeof value === 'boolean');
const anything: OptionRule = () => undefined;
const callback = must('a function', (value) => typeof value === 'function');
const mode = must("'temporary', 'permanent', or 'ignored'", (value) =>
  ['temporary', 'permanent', 'ignored'].includes(value as string),
);
const path = must('a path such as "spec.field", or a list of keys', (value) =>
  Array.isArray(value) ? value.length > 0 && value.every((key) => text(key) === undefined) : text(value) === undefined,
);
const metadata = must('an object of strings, PRESENT, ABSENT, or functions', (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(
    (wanted) => wanted === PRESENT || wanted === ABSENT || ['string', 'function'].includes(typeof wanted),
  );
});

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const operation = must(`one of ${OPERATIONS.join(', ')}`, (value) => OPERATIONS.includes(value as string));
const operations = must(
  `a non-empty list of ${OPERATIONS.join(', ')}`,
  (value) => Array.isArray(value) && value.length > 0 && value.every((item) => OPERATIONS.includes(item as string)),
);
const type = must('a class', (value) => typeof value === 'function');
const conditions = must(
  'a list of objects with a name and an expression',
  (value) =>
    Array.isArray(value) &&
    value.every((item) => text(item?.name) === undefined && text(item?.expression) === undefined),
);

const selection: OptionRule = (value) => {
  try {
    ObjectSelector.parse(value);
    return undefined;
  } catch (error) {
    return `cannot be used: ${errorText(error)}`;
  }
};

type Rules = Readonly<Record<string, OptionRule>>;

const COMMON: Rules = { id: text, param: anything };
const RETRIES: Rules = { ...COMMON, errors: mode, timeout: seconds, retries: count, backoff: seconds };
const FILTERS: Rules = { labels: metadata, annotations: metadata, when: callback, field: path, value: anything };
const WATCH: Rules = { selector: selection };
const CHANGES: Rules = { ...RETRIES, ...FILTERS, ...WATCH };
const BACKGROUND: Rules = { ...CHANGES, initialDelay: delay };
const ADMISSION: Rules = {
  ...COMMON,
  ...FILTERS,
  old: anything,
  new: anything,
  operation,
  operations,
  subresource: text,
  persistent: flag,
  sideEffects: flag,
  ignoreFailures: flag,
  matchConditions: conditions,
};

const RULES: Readonly<Record<HandlerKind, Rules>> = {
  startup: RETRIES,
  cleanup: RETRIES,
  login: RETRIES,
  probe: RETRIES,
  event: { ...COMMON, ...FILTERS, ...WATCH },
  create: CHANGES,
  resume: { ...CHANGES, deleted: flag },
  delete: { ...CHANGES, optional: flag },
  update: { ...CHANGES, old: anything, new: anything },
  field: { ...CHANGES, old: anything, new: anything },
  daemon: {
    ...BACKGROUND,
    cancellationBackoff: seconds,
    cancellationTimeout: seconds,
    cancellationPolling: duration,
  },
  timer: { ...BACKGROUND, interval: duration, sharp: flag, idle: seconds },
  index: CHANGES,
  validate: { ...ADMISSION, dto: type },
  mutate: ADMISSION,
};

/** Finds what is wrong with the options of a handler decorator. */
export function findOptionViolations(kind: HandlerKind, options: Readonly<Record<string, unknown>>): readonly string[] {
  const rules = RULES[kind];
  const violations = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(rules, name))
      return [`option '${name}' does not exist; there are ${Object.keys(rules).join(', ')}`];
    const violation = rules[name](value);
    return violation ? [`option '${name}' ${violation}`] : [];
  });
  if (kind === 'field' && options.field === undefined) violations.push("option 'field' is missing");
  if (options.sharp === true && options.interval === undefined) {
    violations.push("option 'sharp' needs the option 'interval'");
  }
  if (options.operation !== undefined && options.operations !== undefined) {
    violations.push("there cannot be both options 'operation' and 'operations'");
  }
  if (isGiven(options.value) && (isGiven(options.old) || isGiven(options.new))) {
    violations.push("option 'value' is for both states, so there cannot be 'old' or 'new' beside it");
  }
  const needsField = ['value', 'old', 'new'].filter((name) => isGiven(options[name]) && options.field === undefined);
  return [...violations, ...needsField.map((name) => `option '${name}' needs the option 'field'`)];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
