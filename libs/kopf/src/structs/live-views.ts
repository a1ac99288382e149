import { inspect } from 'node:util';
import type { KubeObject, ObjectMeta } from '../interfaces/kube-object.interface.js';
import { resolveField } from './field-path.js';
import type { FieldPath } from './field-path.js';
import { isMap } from './json.js';
import type { JsonMap } from './json.js';

const NOTHING: JsonMap = Object.freeze({});

/**
 * Read-only views of an object that is replaced by a newer one now and then.
 *
 * A view taken once shows the newest state always, also after destructuring (`const { spec } = context`). It looks like a plain object:
 * its fields can be listed, spread, compared, and serialised; an absent part looks like an empty object.
 * What lies deeper than the parts is of the moment when it was read.
 */
export class LiveBody {
  /** The views that were asked for so far: very many objects can have live bodies, and few handlers look at everything. */
  private readonly views: Partial<Record<Part, JsonMap>> = {};

  constructor(private source: KubeObject) {}

  /** The object; its `spec`, `status`, and `metadata` with labels and annotations are views, too. */
  get body(): Readonly<KubeObject> {
    return this.part('body') as unknown as KubeObject;
  }

  get spec(): Readonly<Record<string, any>> {
    return this.part('spec');
  }

  get metadata(): Readonly<ObjectMeta> {
    return this.part('metadata') as ObjectMeta;
  }

  get status(): Readonly<Record<string, any>> {
    return this.part('status');
  }

  get labels(): Readonly<Record<string, string>> {
    return this.part('labels') as Record<string, string>;
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.part('annotations') as Record<string, string>;
  }

  /** Same as `metadata`. */
  get meta(): Readonly<ObjectMeta> {
    return this.metadata;
  }

  /** The newest object itself, not a view. */
  get current(): KubeObject {
    return this.source;
  }

  /** Makes all views show another object. */
  replace(body: KubeObject): void {
    this.source = body;
  }

  private part(name: Part): JsonMap {
    return (this.views[name] ??= this.view(name));
  }

  private view(name: Part): JsonMap {
    const path = PATHS[name];
    const read = (): JsonMap => {
      const value = resolveField(this.source, path);
      return isMap(value) ? value : NOTHING;
    };
    return createView(read, (key) => {
      const inner = PARTS[name]?.[key as string];
      return inner && this.part(inner);
    });
  }
}

type Part = 'body' | 'spec' | 'metadata' | 'status' | 'labels' | 'annotations';

const PATHS: Readonly<Record<Part, FieldPath>> = {
  body: [],
  spec: ['spec'],
  metadata: ['metadata'],
  status: ['status'],
  labels: ['metadata', 'labels'],
  annotations: ['metadata', 'annotations'],
};

/** Which fields of which views are views themselves. */
const PARTS: Partial<Record<Part, Readonly<Partial<Record<string, Part>>>>> = {
  body: Object.assign(Object.create(null) as object, { spec: 'spec', status: 'status', metadata: 'metadata' } as const),
  metadata: Object.assign(Object.create(null) as object, { labels: 'labels', annotations: 'annotations' } as const),
};

/** @param partOf what is shown in place of a field's value, if that is a map. */
function createView(read: () => JsonMap, partOf: (key: PropertyKey) => JsonMap | undefined): JsonMap {
  const valueOf = (key: PropertyKey): unknown => {
    const value = Reflect.get(read(), key) as unknown;
    return isMap(value) ? (partOf(key) ?? value) : value;
  };
  const view: JsonMap = new Proxy(
    makeTarget(() => view),
    {
      get: (_, key) => valueOf(key),
      has: (_, key) => key in read(),
      ownKeys: () => Reflect.ownKeys(read()),
      getOwnPropertyDescriptor: (_, key) =>
        Object.hasOwn(read(), key)
          ? { value: valueOf(key), enumerable: true, configurable: true, writable: false }
          : undefined,
      set: (_, key) => refuse(key),
      defineProperty: (_, key) => refuse(key),
      deleteProperty: (_, key) => refuse(key),
      setPrototypeOf: () => false,
      preventExtensions: () => false,
    },
  );
  return view;
}

/** Node prints the target of a proxy, not what its traps answer, unless the target says otherwise. */
function makeTarget(getView: () => JsonMap): JsonMap {
  const value = (): JsonMap => ({ ...getView() });
  return Object.defineProperty({}, inspect.custom, { value, configurable: true });
}

function refuse(key: PropertyKey): never {
  throw new TypeError(`The field ${String(key)} is read-only. Write into the patch to change the object.`);
}
