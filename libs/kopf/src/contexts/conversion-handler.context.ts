import type { KopfLogger } from '../common/kopf.logger.js';
import { isMap, type JsonMap, parseJson, stringifyJson } from 'kube-common';
import { withPresentParts, type KubeObject, type PresentMeta } from '../objects/kube-object.js';
import { HasMembers } from './context.members.js';
import type { ConversionContext } from './conversion.interface.js';

/**
 * The prefix of the annotations that keep fields of one version while objects have another one. Essences do not contain such annotations.
 */
export const KEPT_PREFIX = 'kopf.zalando.org/kept-fields.';

/** The parts of one conversion of one object. */
export interface ConversionStep {
  /** The object, which is not changed. */
  readonly body: KubeObject;
  readonly from: string;
  readonly to: string;
  readonly param: unknown;
  /** A function that creates the logger when it is first read. */
  readonly createLogger: () => KopfLogger;
}

/** The context of `@Convert` handlers, which also creates the converted object of their result. */
@HasMembers<ConversionContext>({
  body: true,
  spec: true,
  status: true,
  meta: true,
  name: true,
  namespace: true,
  uid: true,
  labels: true,
  annotations: true,
  from: true,
  to: true,
  param: true,
  logger: true,
  kept: true,
  keep: true,
})
export class ConversionHandlerContext implements ConversionContext {
  private keeping?: string;
  private presentMeta?: PresentMeta;

  /** A function of the instance, as handlers take it out of the context. */
  readonly keep = (fields: Readonly<Record<string, unknown>>): void => {
    const present = Object.entries(fields).filter(([, value]) => value !== undefined);
    this.keeping = present.length > 0 ? stringifyJson(Object.fromEntries(present)) : undefined;
  };

  constructor(private readonly step: ConversionStep) {}

  get body() {
    return this.step.body;
  }
  get spec() {
    return this.body.spec ?? {};
  }
  get status() {
    return this.body.status;
  }
  get meta() {
    return (this.presentMeta ??= withPresentParts(this.body.metadata));
  }
  get name() {
    return this.meta.name!;
  }
  get namespace() {
    return this.meta.namespace;
  }
  get uid() {
    return this.meta.uid!;
  }
  get labels() {
    return this.meta.labels;
  }
  get annotations() {
    return this.meta.annotations;
  }
  get from() {
    return this.step.from;
  }
  get to() {
    return this.step.to;
  }
  get param() {
    return this.step.param;
  }
  get logger() {
    return this.step.createLogger();
  }

  get kept(): Readonly<Record<string, any>> {
    const text = this.annotations[KEPT_PREFIX + this.to];
    if (text === undefined) return {};
    try {
      const fields = parseJson(text);
      if (isMap(fields)) return fields;
    } catch {
      // The error is reported below.
    }
    this.logger.warn(`The annotation ${KEPT_PREFIX}${this.to} is no JSON object, so that nothing can be put back.`);
    return {};
  }

  /**
   * Creates the converted object of the result of a handler.
   *
   * @param apiVersion the wanted group and version.
   * @param metadata the metadata before, of which only labels and annotations can change.
   * @throws TypeError if the handler has returned no object.
   */
  complete(returned: unknown, apiVersion: string, metadata: KubeObject['metadata']): KubeObject {
    if (!isMap(returned)) throw new TypeError(`it has returned ${describe(returned)} instead of an object`);
    const { apiVersion: _, kind: __, metadata: given, ...content } = returned;
    const { labels, annotations: own, ...rest } = metadata;
    const changed = isMap(given) ? given : {};
    const annotations = this.annotate((changed.annotations ?? own) as Record<string, string> | undefined);
    const kept = { ...rest, ...pick('labels', changed.labels ?? labels), ...pick('annotations', annotations) };
    return { apiVersion, kind: this.body.kind, metadata: kept, ...content } as unknown as KubeObject;
  }

  /**
   * Updates the annotation of kept fields: fields that were restored are not kept any longer, and fields of this conversion replace those
   * of an earlier one.
   */
  private annotate(annotations: Readonly<Record<string, string>> | undefined): object | undefined {
    const [restored, kept] = [KEPT_PREFIX + this.to, KEPT_PREFIX + this.from];
    if (this.keeping === undefined && !(annotations && (restored in annotations || kept in annotations))) {
      return annotations;
    }
    const { [restored]: _, [kept]: __, ...others } = annotations ?? {};
    const result = { ...others, ...(this.keeping !== undefined && { [kept]: this.keeping }) };
    return Object.keys(result).length > 0 ? result : undefined;
  }
}

function pick(name: string, value: unknown): JsonMap {
  return value === undefined || value === null ? {} : { [name]: value };
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}
