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
  /** The object; its `spec`, `status`, and `metadata` with labels and annotations are views, too. */
  readonly body: Readonly<KubeObject>;
  readonly spec: Readonly<Record<string, any>>;
  readonly metadata: Readonly<ObjectMeta>;
  readonly status: Readonly<Record<string, any>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;

  constructor(private source: KubeObject) {
    this.spec = this.view(['spec']);
    this.status = this.view(['status']);
    this.labels = this.view(['metadata', 'labels']) as Record<string, string>;
    this.annotations = this.view(['metadata', 'annotations']) as Record<string, string>;
    this.metadata = this.view(['metadata'], { labels: this.labels, annotations: this.annotations }) as ObjectMeta;
    const parts = { spec: this.spec, status: this.status, metadata: this.metadata };
    this.body = this.view([], parts) as KubeObject;
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

  private view(path: FieldPath, parts: JsonMap = NOTHING): JsonMap {
    return createView(() => {
      const value = resolveField(this.source, path);
      return isMap(value) ? value : NOTHING;
    }, parts);
  }
}

/** @param parts what is shown in place of the values of these fields, where those are maps. */
function createView(read: () => JsonMap, parts: JsonMap): JsonMap {
  const valueOf = (key: PropertyKey): unknown => {
    const value = Reflect.get(read(), key) as unknown;
    return isMap(value) && Object.hasOwn(parts, key) ? parts[key as string] : value;
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
