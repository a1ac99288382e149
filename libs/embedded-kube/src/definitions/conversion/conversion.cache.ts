import { jsonEqual } from '../../common/json.values.js';
import type { KubeObject } from '../../resources/kube-object.js';
import type { ObjectStore } from '../../storage/object.store.js';
import type { Definition } from '../definition.types.js';
import type { ConversionWebhook } from './conversion.webhook.js';

/** The forms of one stored object, by their versions. */
interface ConvertedObject {
  readonly source: KubeObject;
  readonly forms: Map<string, KubeObject>;
}

/**
 * The objects of a definition in all its served versions, so that lists, watches and writes need not wait for the webhook. What is missing
 * is fetched before a request is processed.
 */
export class ConversionCache {
  private readonly latest = new Map<string, ConvertedObject>();
  private readonly stored = new WeakMap<KubeObject, ConvertedObject>();
  private readonly storageVersion: string;
  private readonly versions: readonly string[];
  private readonly storageKey: string;

  constructor(
    private readonly definition: Definition,
    private readonly webhook: ConversionWebhook,
    private readonly store: ObjectStore,
  ) {
    const { group, names, versions } = definition.spec;
    const all = versions.map((version) => ({ ...version, name: `${group}/${version.name}` }));
    this.storageKey = `${names.plural}.${group}`;
    this.storageVersion = all.find(({ storage }) => storage)!.name;
    this.versions = all.filter(({ served }) => served).map(({ name }) => name);
  }

  /** Stores a written object before watches get the change. */
  remember(current: KubeObject, isGone: boolean): void {
    const known = this.latest.get(uidOf(current));
    if (known && hasContentOf(known.source, current)) this.stored.set(current, known);
    if (isGone) this.latest.delete(uidOf(current));
  }

  /**
   * Converts an object that is written into the version in which it is stored, and into those that are watched.
   *
   * @throws StatusError 500 if the webhook does not convert it for the storage
   */
  async toStorage(object: KubeObject): Promise<KubeObject> {
    const source = await this.convert(object, this.storageVersion);
    const forms = new Map([[object.apiVersion, object]]);
    for (const version of this.versions) {
      if (version === this.storageVersion || forms.has(version)) continue;
      // A request for this version asks the webhook again, and gets its error.
      const form = await this.convert(source, version).catch(() => undefined);
      if (form) forms.set(version, form);
    }
    this.latest.set(uidOf(source), { source, forms });
    return source;
  }

  /** Returns a stored object in another version, with its current metadata. */
  fromStorage(object: KubeObject, to: string): KubeObject {
    if (object.apiVersion === to) return object;
    const form = this.known(object)?.forms.get(to);
    // Without the webhook's answer only the version is known.
    if (!form) return { ...object, apiVersion: to };
    const { labels, annotations } = form.metadata;
    const { labels: _, annotations: __, ...metadata } = object.metadata;
    return { ...form, metadata: { ...metadata, ...(annotations && { annotations }), ...(labels && { labels }) } };
  }

  /**
   * Converts the stored objects that are not known in a version, all of a version in one review.
   *
   * @throws StatusError 500
   */
  async prepare(to: string): Promise<void> {
    const missing = this.store
      .collection(this.storageKey)
      .list()
      .map(({ object }) => object)
      .filter((object) => object.apiVersion !== to && !this.known(object)?.forms.has(to));
    const versions = new Set(missing.map(({ apiVersion }) => apiVersion));
    for (const version of versions) {
      const objects = missing.filter(({ apiVersion }) => apiVersion === version);
      const converted = await this.webhook.convert(this.definition, objects, to);
      objects.forEach((source, index) => this.add(source, to, converted[index]!));
    }
  }

  private add(source: KubeObject, to: string, form: KubeObject): void {
    const known = this.known(source) ?? { source, forms: new Map<string, KubeObject>() };
    known.forms.set(to, form);
    this.stored.set(source, known);
    this.latest.set(uidOf(source), known);
  }

  private known(object: KubeObject): ConvertedObject | undefined {
    const known = this.stored.get(object) ?? this.latest.get(uidOf(object));
    return known && hasContentOf(known.source, object) ? known : undefined;
  }

  private async convert(object: KubeObject, to: string): Promise<KubeObject> {
    if (object.apiVersion === to) return object;
    return (await this.webhook.convert(this.definition, [object], to))[0]!;
  }
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? '';
}

/** Compares what webhooks convert: everything but the metadata that they must not change. */
function hasContentOf(a: KubeObject, b: KubeObject): boolean {
  if (a === b) return true;
  const { metadata: left, ...content } = a;
  const { metadata: right, ...other } = b;
  return (
    jsonEqual(content, other) && jsonEqual(left.labels, right.labels) && jsonEqual(left.annotations, right.annotations)
  );
}
