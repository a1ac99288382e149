/** The members of contexts, each with the decorator of the corresponding parameter; empty if there is none. */
const MEMBERS: Readonly<Record<string, string>> = {
  body: '@ObjectBody()',
  spec: '@Spec()',
  status: '@Status()',
  meta: '@Meta()',
  labels: '@Labels()',
  annotations: '@Annotations()',
  name: '@Name()',
  namespace: '@Namespace()',
  uid: '@Uid()',
  patch: '@ObjectPatch()',
  memo: '@Memo()',
  logger: '@HandlerLogger()',
  retry: '@Retry()',
  stopped: '@Stopped()',
  diff: '@Diff()',
  old: '@Old()',
  new: '@New()',
  reason: '',
  resource: '',
  param: '',
  started: '',
  runtime: '',
  indices: '',
  settings: '',
  operation: '',
  subresource: '',
  dryrun: '',
  warnings: '',
  userinfo: '',
  headers: '',
  sslpeer: '',
};

/** The types of parameters in the compiler's metadata that no context has. Interfaces appear there as `Object`. */
const NO_CONTEXTS: readonly unknown[] = [String, Number, Boolean, BigInt, Symbol, Array, Date];

/**
 * Checks whether a method without decorated parameters is written like a handler in Python, `make(spec, name)`: it is called with one
 * argument, the context. A parameter `event` does not count, as the context of an event is often called so.
 */
export function findPythonSignature(prototype: object, methodName: string): string | undefined {
  const method = (prototype as Readonly<Record<string, Function>>)[methodName];
  const names = readParameters(method);
  const [first = ''] = names;
  const isPlural = method.length > 1;
  if (!isPlural && !isMember(first) && !NO_CONTEXTS.includes(readFirstType(prototype, methodName))) return undefined;
  const taken = isPlural ? `${method.length} arguments` : 'a part of the context as its first argument';
  return (
    `it takes ${taken}, but a handler is called with one argument, its context. Take the parts out of it, ` +
    `${methodName}(${destructured(names)}), or give each parameter a decorator, ${methodName}(${decorated(names)})`
  );
}

function isMember(name: string): boolean {
  return Object.hasOwn(MEMBERS, name);
}

/** Writes the destructured parameter: `{ spec, name, ...others }`. */
function destructured(names: readonly string[]): string {
  const rest = names.filter((name) => name.startsWith('...'));
  const members = names.filter((name) => isMember(name) && name !== 'new');
  if (names.includes('new')) members.push('new: now');
  return `{ ${[...(members.length > 0 ? members : ['spec', 'name']), ...rest].join(', ')} }`;
}

/** Writes the decorated parameters: `@Spec() spec, @Name() name`. */
function decorated(names: readonly string[]): string {
  const known = names.filter((name) => MEMBERS[name]);
  return (known.length > 0 ? known : ['spec', 'name'])
    .map((name) => `${MEMBERS[name]} ${name === 'new' ? 'now' : name}`)
    .join(', ');
}

/** Reads the type of the first parameter from the compiler's metadata, also of a method that another decorator has wrapped. */
function readFirstType(prototype: object, methodName: string): unknown {
  let owner: object | null = prototype;
  while (owner && !Object.hasOwn(owner, methodName)) owner = Object.getPrototypeOf(owner) as object | null;
  const types: unknown = owner ? Reflect.getOwnMetadata('design:paramtypes', owner, methodName) : undefined;
  return Array.isArray(types) ? types[0] : undefined;
}

/** Reads the names of a function's parameters from its source, `...` in front of the rest; destructured ones are empty texts. */
function readParameters(method: Function): readonly string[] {
  const source = Function.prototype.toString.call(method).replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '');
  const lone = /^(?:async\s+)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(source)?.[1];
  if (lone !== undefined) return [lone];
  return splitParameters(source.slice(source.indexOf('(') + 1)).map((parameter) => {
    return /^(?:\.\.\.)?[\p{ID_Start}$_][\p{ID_Continue}$]*(?=\s*(?:=|$))/u.exec(parameter.trim())?.[0] ?? '';
  });
}

/** Splits the text after the opening parenthesis of a function at the commas between its parameters. */
function splitParameters(source: string): readonly string[] {
  const parameters = [''];
  let depth = 0;
  for (const character of source) {
    if (depth === 0 && character === ')') break;
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth === 0 && character === ',') parameters.push('');
    else parameters[parameters.length - 1] += character;
  }
  return parameters;
}
