// Slips of users, each with what the compiler must say of it, whichever version it is: the option, the resource, or the context. `at` is
// the text that the error stands at, where the message of the compiler does not repeat the name of the option.

const CONTEXT = (name) => new RegExp(`MethodMustTake<${name}<`);
const RESOURCE = /\bResourcePredicate\b/;
const UNKNOWN = (option, suggestion) =>
  new RegExp(`'${option}' does not exist in type .*Did you mean to write '${suggestion}'\\?`);

/** Each is a decorator with a method. `kopf` is the package, `Disk` a class of objects. */
export const SLIPS = [
  // Misspelt options.
  { slip: `@kopf.OnCreate('pods', { timeot: 5 }) it() {}`, message: UNKNOWN('timeot', 'timeout') },
  { slip: `@kopf.OnCreate('v1', 'pods', { timeot: 5 }) it() {}`, message: UNKNOWN('timeot', 'timeout') },
  { slip: `@kopf.OnCreate('', 'v1', 'pods', { timeot: 5 }) it() {}`, message: UNKNOWN('timeot', 'timeout') },
  { slip: `@kopf.OnCreate(Disk, { timeot: 5 }) it() {}`, message: UNKNOWN('timeot', 'timeout') },
  { slip: `@kopf.OnCreate(kopf.EVERYTHING, { timeot: 5 }) it() {}`, message: UNKNOWN('timeot', 'timeout') },
  { slip: `@kopf.OnUpdate('pods', { fields: 'spec' }) it() {}`, message: UNKNOWN('fields', 'field') },
  { slip: `@kopf.OnDelete('pods', { optionl: true }) it() {}`, message: UNKNOWN('optionl', 'optional') },
  { slip: `@kopf.OnResume('pods', { deletd: true }) it() {}`, message: UNKNOWN('deletd', 'deleted') },
  { slip: `@kopf.OnField('pods', { field: 'spec', valu: 1 }) it() {}`, message: UNKNOWN('valu', 'value') },
  { slip: `@kopf.OnEvent('pods', { label: {} }) it() {}`, message: UNKNOWN('label', 'labels') },
  {
    slip: `@kopf.Daemon('pods', { cancelationTimeout: 5 }) it() {}`,
    message: UNKNOWN('cancelationTimeout', 'cancellationTimeout'),
  },
  { slip: `@kopf.Timer('pods', { intervall: 5 }) it() {}`, message: UNKNOWN('intervall', 'interval') },
  { slip: `@kopf.Index('pods', { selectr: {} }) it() {}`, message: UNKNOWN('selectr', 'selector') },
  { slip: `@kopf.Validate('pods', { sideEffect: true }) it() {}`, message: UNKNOWN('sideEffect', 'sideEffects') },
  { slip: `@kopf.Mutate('pods', { persistant: true }) it() {}`, message: UNKNOWN('persistant', 'persistent') },
  { slip: `@kopf.OnLog('pods', { regx: /a/ }) it() {}`, message: UNKNOWN('regx', 'regex') },
  { slip: `@kopf.OnChild('pods', 'configmaps', { dept: 2 }) it() {}`, message: UNKNOWN('dept', 'depth') },
  { slip: `@kopf.OnReference('pods', { conditon: 'x' }) it() {}`, message: UNKNOWN('conditon', 'condition') },
  { slip: `@kopf.OnStartup({ retris: 5 }) it() {}`, message: UNKNOWN('retris', 'retries') },
  { slip: `@kopf.OnLogin({ retris: 5 }) it() {}`, message: UNKNOWN('retris', 'retries') },
  { slip: `@kopf.OnProbe({ timout: 5 }) it() {}`, message: UNKNOWN('timout', 'timeout') },
  {
    slip: `@kopf.Convert(Disk, { from: 'v1', to: 'v2', retird: true }) it() {}`,
    message: UNKNOWN('retird', 'retired'),
  },
  // Options of other handlers, and options that are missing.
  { slip: `@kopf.OnDelete('pods', { old: 5 }) it() {}`, message: /'old' does not exist in type 'DeleteOptions'/ },
  { slip: `@kopf.OnEvent('pods', { retries: 5 }) it() {}`, message: /'retries' does not exist in type 'EventOptions'/ },
  {
    slip: `@kopf.OnCreate('pods', { interval: 5 }) it() {}`,
    message: /'interval' does not exist in type 'CreateOptions'/,
  },
  { slip: `@kopf.OnField('pods', {}) it() {}`, message: /Property 'field' is missing in type '\{\}'/ },
  { slip: `@kopf.Convert(Disk, { from: 'v1' }) it() {}`, message: /Property 'to' is missing in type/ },
  // Wrong types of options and of filters.
  {
    slip: `@kopf.OnCreate('pods', { retries: '5' }) it() {}`,
    at: 'retries',
    message: /'string' is not assignable to type 'number/,
  },
  {
    slip: `@kopf.OnCreate('v1', 'pods', { retries: '5' }) it() {}`,
    at: /retries|OnCreate/,
    message: /'string' is not assignable to type 'number/,
  },
  {
    slip: `@kopf.OnCreate('pods', { errors: 'fatal' }) it() {}`,
    at: 'errors',
    message: /'"fatal"' is not assignable to type 'ErrorsMode/,
  },
  { slip: `@kopf.OnCreate('pods', { onError: () => 5 }) it() {}`, at: 'onError', message: /'ErrorHandler'/ },
  {
    slip: `@kopf.OnCreate('pods', { labels: { app: 5 } }) it() {}`,
    at: 'app',
    message: /'number' is not assignable to type .*ValueCallback/,
  },
  {
    slip: `@kopf.OnCreate('pods', { labels: 'app' }) it() {}`,
    at: 'labels',
    message: /'string' is not assignable to type/,
  },
  {
    slip: `@kopf.OnCreate('pods', { when: (context: number) => true }) it() {}`,
    at: 'when',
    message: /'WhenFilter<ChangeFilterContext</,
  },
  {
    slip: `@kopf.OnCreate('pods', { when: (context: kopf.DaemonContext) => true }) it() {}`,
    at: 'when',
    message: /'ChangeFilterContext<.*' is (?:not assignable to|missing)/s,
  },
  {
    slip: `@kopf.OnCreate('pods', { when: () => 'yes' }) it() {}`,
    at: 'when',
    message: /'string' is not assignable to type 'boolean'/,
  },
  {
    slip: `@kopf.OnCreate('pods', { when: async () => true }) it() {}`,
    at: 'when',
    message: /'Promise<boolean>' is not assignable to type 'boolean'/,
  },
  {
    slip: `@kopf.Validate('pods', { operations: ['MAKE'] }) it() {}`,
    at: "'MAKE'",
    message: /'"MAKE"' is not assignable to type 'AdmissionOperation'/,
  },
  {
    slip: `@kopf.Timer('pods', { interval: '5s' }) it() {}`,
    at: 'interval',
    message: /'string' is not assignable to type 'number/,
  },
  // Resources that are none, and arguments in the wrong place.
  { slip: `@kopf.OnCreate(5) it() {}`, message: RESOURCE },
  { slip: `@kopf.OnCreate(['pods'], {}) it() {}`, message: RESOURCE },
  { slip: `@kopf.OnCreate({ plurall: 'pods' }) it() {}`, message: /'plurall' does not exist in type/ },
  {
    slip: `@kopf.OnCreate({ timeout: 5 }, 'pods') it() {}`,
    message: /'timeout' does not exist in type .*\bSelectorParts\b/,
  },
  { slip: `@kopf.OnCreate('pods', 5) it() {}`, message: /'5' has no properties in common with type 'CreateOptions'/ },
  { slip: `@kopf.OnStartup('pods') it() {}`, message: /'"pods"' has no properties in common with type 'RetryOptions'/ },
  { slip: `@kopf.OnChild('pods', { plurall: 'x' }) it() {}`, message: /'plurall' does not exist in type/ },
  { slip: `@kopf.OnCreate() it() {}`, message: /ResourceHandlerArgs<CreateOptions>/ },
  { slip: `@kopf.OnCreate it() {}`, message: RESOURCE },
  { slip: `@kopf.OnStartup it() {}`, message: /Did you mean to call it first and write '@kopf\.OnStartup\(\)'/ },
  // Contexts of other handlers.
  { slip: `@kopf.OnCreate('pods') it(context: kopf.DaemonContext) {}`, message: CONTEXT('ChangeContext') },
  { slip: `@kopf.OnUpdate('v1', 'pods') it(context: kopf.EventContext) {}`, message: CONTEXT('ChangeContext') },
  {
    slip: `@kopf.OnCreate(Disk) it(context: kopf.DaemonContext) {}`,
    message: /MethodMustTake<TypedContext<ChangeContext</,
  },
  { slip: `@kopf.OnEvent('pods') it(context: kopf.ChangeContext) {}`, message: CONTEXT('EventContext') },
  { slip: `@kopf.Daemon('pods') it(context: kopf.ChangeContext) {}`, message: CONTEXT('DaemonContext') },
  {
    slip: `@kopf.Timer('pods', { interval: 5 }) it({ reason }: kopf.ChangeContext) {}`,
    message: CONTEXT('TimerContext'),
  },
  { slip: `@kopf.Index('pods') it(context: kopf.ChangeContext) {}`, message: CONTEXT('IndexContext') },
  { slip: `@kopf.Validate('pods') it(context: kopf.ChangeContext) {}`, message: CONTEXT('AdmissionContext') },
  { slip: `@kopf.OnLog('pods') it(context: kopf.EventContext) {}`, message: CONTEXT('LogContext') },
  { slip: `@kopf.OnChild('pods', 'configmaps') it(context: kopf.EventContext) {}`, message: CONTEXT('ChildContext') },
  { slip: `@kopf.OnReference('pods') it(context: kopf.EventContext) {}`, message: CONTEXT('ReferenceContext') },
  { slip: `@kopf.OnStartup() it(context: kopf.ObjectContext) {}`, message: CONTEXT('ActivityContext') },
  { slip: `@kopf.OnLogin() it(context: kopf.ChangeContext) {}`, message: CONTEXT('LoginContext') },
  {
    slip: `@kopf.Convert(Disk, { from: 'v1', to: 'v2' }) it(context: kopf.ChangeContext) {}`,
    message: CONTEXT('ConversionContextOf'),
  },
  // What a method returns, and what is no method.
  {
    slip: `@kopf.Convert(Disk, { from: 'v1', to: Disk }) it() { return { spec: { size: '5' } }; }`,
    message: /MethodMustReturn</,
  },
  { slip: `@kopf.OnCreate('pods') it = 5;`, message: /Unable to resolve signature of property decorator/ },
  // Options of the module.
  { slip: `static it = kopf.KopfModule.forRoot({ namespace: 'a' });`, message: /Did you mean to write 'namespaces'\?/ },
  {
    slip: `static it = kopf.KopfModule.forRoot({ posting: { enabld: true } });`,
    message: /Did you mean to write 'enabled'\?/,
  },
];

const HEAD = `import * as kopf from 'nestjs-kopf';
class DiskSpec { size!: number; }
export class Disk { spec!: DiskSpec; }
`;

/** The program with all slips, each in a line of its own. */
export const PROGRAM = HEAD + SLIPS.map(({ slip }, index) => `export class Slip${index} { ${slip} }\n`).join('');

const FIRST = HEAD.split('\n').length;

/** Reads what \`tsc --pretty false\` has printed: the message of each slip, with the text that it stands at. */
export function readMessages(printed) {
  const lines = PROGRAM.split('\n');
  const messages = SLIPS.map(() => []);
  for (const block of printed.split(/^(?=\S+\(\d+,\d+\): error )/m)) {
    const [, file, line, column, text] = /^(\S+)\((\d+),(\d+)\): error TS\d+: ([^]*)$/.exec(block) ?? [];
    const index = Number(line) - FIRST;
    const at = lines[Number(line) - 1]?.slice(Number(column) - 1);
    if (file?.endsWith('slips.ts')) messages[index].push({ at, text: text.trim() });
  }
  return messages;
}

/** The slips of which the compiler does not say what it should, each with what it says. */
export function findUnclear(printed) {
  const messages = readMessages(printed);
  return SLIPS.flatMap(({ slip, message, at }, index) => {
    const found = messages[index];
    const isAt = (place) => at === undefined || (at instanceof RegExp ? at.test(place) : place.startsWith(at));
    const clear = found.some((each) => message.test(each.text) && isAt(each.at));
    const riddles = found.filter(({ text }) => /__composed/.test(text));
    return clear && riddles.length === 0
      ? []
      : [`${slip}\n${found.map((each) => `  ${each.text} (at ${each.at})`).join('\n')}`];
  });
}
