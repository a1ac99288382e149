import { inspect } from 'node:util';
import { withPresentParts, type KubeObject, type ObjectMeta, type PresentMeta } from './kube-object.js';
import { resolveField, type FieldPath } from './field-path.js';
import { isMap, type JsonMap } from 'kube-common';

const NOTHING: JsonMap = Object.freeze({});

/**
 * The read-only views of an object whose newer states replace it.
 *
 * A view always shows the newest state, also after destructuring (`const { spec } = context`). It looks like a plain object: its fields can
 * be listed, spread, compared, and serialised; an absent part looks like an empty object. Nested values are those at the time when they
 * were read.
 */
export class LiveBody {
  /** The views that were read so far: very many objects can have live bodies, and few handlers read all views. */
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

  /** The metadata with labels and annotations, which are empty views if the object has none. */
  get meta(): Readonly<PresentMeta> {
    return this.part('meta') as PresentMeta;
  }

  /** The newest object itself, not a view. */
  get current(): KubeObject {
    return this.source;
  }

  /** Sets the object that all views show. */
  replace(body: KubeObject): void {
    this.source = body;
  }

  /** Returns the view of a part. */
  part(name: Part): JsonMap {
    return (this.views[name] ??= new Proxy(TARGET, new ViewTraps(this, name)));
  }
}

type Part = 'body' | 'spec' | 'metadata' | 'meta' | 'status' | 'labels' | 'annotations';

const PATHS: Readonly<Record<Part, FieldPath>> = {
  body: [],
  spec: ['spec'],
  metadata: ['metadata'],
  meta: ['metadata'],
  status: ['status'],
  labels: ['metadata', 'labels'],
  annotations: ['metadata', 'annotations'],
};

/** The fields of views that are views themselves. */
const PARTS: Partial<Record<Part, Readonly<Partial<Record<string, Part>>>>> = {
  body: Object.assign(Object.create(null) as object, { spec: 'spec', status: 'status', metadata: 'metadata' } as const),
  meta: Object.assign(Object.create(null) as object, { labels: 'labels', annotations: 'annotations' } as const),
  metadata: Object.assign(Object.create(null) as object, { labels: 'labels', annotations: 'annotations' } as const),
};

/**
 * The target of the proxies of all views, from which nothing is read, and into which nothing can be written. Node prints the target of a
 * proxy, not what its traps return, so the target has its own inspection.
 */
const TARGET: JsonMap = Object.defineProperty({}, inspect.custom, {
  value(this: JsonMap) {
    return { ...this };
  },
  configurable: true,
});

/** The traps that make a proxy a view. As very many objects can have views, a view needs no further functions. */
class ViewTraps implements ProxyHandler<JsonMap> {
  constructor(
    private readonly live: LiveBody,
    private readonly name: Part,
  ) {}

  get(_target: JsonMap, key: PropertyKey): unknown {
    return this.fieldOf(key);
  }

  has(_target: JsonMap, key: PropertyKey): boolean {
    return key in this.read();
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.read());
  }

  getOwnPropertyDescriptor(_target: JsonMap, key: PropertyKey): PropertyDescriptor | undefined {
    if (!Object.hasOwn(this.read(), key)) return undefined;
    return { value: this.fieldOf(key), enumerable: true, configurable: true, writable: false };
  }

  set(_target: JsonMap, key: PropertyKey): never {
    throwReadonly(key);
  }

  defineProperty(_target: JsonMap, key: PropertyKey): never {
    throwReadonly(key);
  }

  deleteProperty(_target: JsonMap, key: PropertyKey): never {
    throwReadonly(key);
  }

  setPrototypeOf(): boolean {
    return false;
  }

  preventExtensions(): boolean {
    return false;
  }

  private read(): JsonMap {
    const value = resolveField(this.live.current, PATHS[this.name]);
    const read = isMap(value) ? value : NOTHING;
    return this.name === 'meta' ? (withPresentParts(read as ObjectMeta) as unknown as JsonMap) : read;
  }

  private fieldOf(key: PropertyKey): unknown {
    const value = Reflect.get(this.read(), key) as unknown;
    if (!isMap(value)) return value;
    const inner = PARTS[this.name]?.[key as string];
    return inner ? this.live.part(inner) : value;
  }
}

function throwReadonly(key: PropertyKey): never {
  throw new TypeError(`The field ${String(key)} is read-only. Write into the patch to change the object.`);
}
