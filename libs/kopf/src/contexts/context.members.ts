import { inspect, type InspectOptions } from 'node:util';
import { resourceKey, type Resource } from '../resources/resources.js';

/** The names of all members of a context; the compiler requires each of them. */
export type MemberNames<Context> = Readonly<Record<keyof Context, true>>;

/** The key of the members of a class of contexts. */
const MEMBERS = Symbol('members');

/** The key of the names that were added to a context after it was created: by tests, by enhancers, by users. */
const ADDED = Symbol('added');

/** The members that identify the call of a context; they are printed, as they have no values of the object. */
const SUMMARY = [
  'resource',
  'namespace',
  'name',
  'uid',
  'reason',
  'type',
  'operation',
  'subresource',
  'dryrun',
  'from',
  'to',
  'container',
  'retry',
  'started',
  'runtime',
] as const;

interface ContextTarget {
  readonly [MEMBERS]?: ContextMembers;
  [ADDED]?: Set<PropertyKey>;
  [member: PropertyKey]: unknown;
}

/**
 * Decorates a class of contexts with the members that {@link exposeMembers} exposes. Printing a context, or writing it as JSON, shows its
 * object and its call, without values of the object: they can be secret, large, or circular.
 */
export function HasMembers<Context extends object>(
  names: MemberNames<Context>,
): (type: abstract new (...args: never[]) => Partial<Context>) => void {
  const members = new ContextMembers(names);
  return ({ name, prototype }) => {
    const print = function (this: ContextTarget, depth: number, options: InspectOptions): string {
      return `${name.replace('Handler', '')} ${inspect(members.summarize(this), { ...options, depth })}`;
    };
    const toJson = function (this: ContextTarget): object {
      return members.summarize(this);
    };
    Object.defineProperties(prototype, {
      [MEMBERS]: { value: members },
      [inspect.custom]: { value: print, configurable: true },
      toJSON: { value: toJson, configurable: true },
    });
  };
}

/**
 * Wraps a context for handlers and filters: its members look like own, enumerable properties, so that `{ ...context }` and `({ name,
 * ...others })` take all of them, and none of its private parts.
 *
 * The members of the classes are getters, so that creating a context costs nothing and a member is computed when it is read. Own accessors
 * would cost more for each call than all of its reads through the proxy.
 */
export function exposeMembers<Context extends object>(context: Context): Context {
  const members = (context as ContextTarget)[MEMBERS];
  return members ? (new Proxy<ContextTarget>(context as ContextTarget, members) as Context) : context;
}

/** The members of one class of contexts, as the traps of proxies; all contexts of the class share them. */
class ContextMembers implements ProxyHandler<ContextTarget> {
  private readonly names: readonly string[];

  constructor(private readonly table: Readonly<Record<string, true>>) {
    this.names = Object.keys(table);
  }

  get(target: ContextTarget, key: PropertyKey): unknown {
    return target[key];
  }

  ownKeys(target: ContextTarget): (string | symbol)[] {
    const present = this.names.filter((name) => name in target);
    const added = [...(target[ADDED] ?? [])].filter((key) => !Object.hasOwn(this.table, key));
    return [...present, ...(added as (string | symbol)[])];
  }

  getOwnPropertyDescriptor(target: ContextTarget, key: PropertyKey): PropertyDescriptor | undefined {
    if (target[ADDED]?.has(key)) return Reflect.getOwnPropertyDescriptor(target, key);
    if (!Object.hasOwn(this.table, key) || !(key in target)) return undefined;
    return { value: target[key], enumerable: true, configurable: true, writable: false };
  }

  defineProperty(target: ContextTarget, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    (target[ADDED] ??= new Set()).add(key);
    return Reflect.defineProperty(target, key, { ...descriptor, configurable: true });
  }

  deleteProperty(target: ContextTarget, key: PropertyKey): boolean {
    return !target[ADDED]?.delete(key) || Reflect.deleteProperty(target, key);
  }

  preventExtensions(): boolean {
    return false;
  }

  /** Returns the members that identify the object and the call. */
  summarize(context: ContextTarget): object {
    const present = SUMMARY.filter((name) => Object.hasOwn(this.table, name) && context[name] !== undefined);
    return Object.fromEntries(
      present.map((name) => [name, name === 'resource' ? resourceKey(context[name] as Resource) : context[name]]),
    );
  }
}

/** The members of every context. */
export const INVOCATION_MEMBERS = {
  param: true,
  retry: true,
  started: true,
  runtime: true,
  logger: true,
  signal: true,
} as const;

/** The members of the contexts of handlers of objects, and of their filters. */
export const OBJECT_MEMBERS = {
  body: true,
  spec: true,
  meta: true,
  status: true,
  name: true,
  namespace: true,
  uid: true,
  labels: true,
  annotations: true,
  resource: true,
  patch: true,
  memo: true,
  indices: true,
  parent: true,
  logger: true,
} as const;

/** The members of contexts of objects that post events. */
export const OBJECT_EVENTS_MEMBERS = { info: true, warn: true, exception: true } as const;

/** The members with the change of an object. */
export const CHANGE_MEMBERS = { reason: true, old: true, new: true, diff: true } as const;

/** The members of the contexts of daemons, and of all handlers that are called beside the event cycles. */
export const DAEMON_MEMBERS = {
  ...OBJECT_MEMBERS,
  ...INVOCATION_MEMBERS,
  ...OBJECT_EVENTS_MEMBERS,
  event: true,
  stopped: true,
} as const;

/** The members that describe a request to the API server. */
export const ADMISSION_MEMBERS = {
  ...OBJECT_MEMBERS,
  operation: true,
  subresource: true,
  dryrun: true,
  warnings: true,
  userinfo: true,
  headers: true,
  sslpeer: true,
  old: true,
  new: true,
  diff: true,
} as const;
