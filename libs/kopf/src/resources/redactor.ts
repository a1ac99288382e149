import type { ObjectDiff } from '../objects/diffs.js';
import { parseFieldPath, type FieldSpec } from '../objects/field-path.js';
import {
  ANNOTATIONS,
  redactDiff,
  redactObject,
  redactPatch,
  SECRET_FIELDS,
  type FieldPattern,
} from '../objects/redaction.js';
import type { ResourceSelector } from './resource-selector.js';
import { resourceKey, type Resource, type ResourceIdentity } from './resources.js';
import { parseSelector, type SelectorArgs } from './selectors.js';

/** The fields of resources whose values must not be shown. */
export interface RedactedFields {
  /** The resources, as for decorators: `'configmaps'`, `'deployments.apps'`, `['kopf.dev/v1', 'kopfexamples']`, `EVERYTHING`. */
  readonly resource: SelectorArgs[0] | SelectorArgs;
  /**
   * The fields, with everything in them: `'data.password'`, `['data', 'app.properties']`. A `*` stands for any name on its level, or for
   * any item of a list: `'spec.*.token'`.
   */
  readonly fields: readonly FieldSpec[];
}

/** Parses {@link RedactedFields}. @throws TypeError if they are malformed. */
export function parseRedactedFields({ resource, fields }: RedactedFields): RedactionRule {
  const selector = parseSelector(Array.isArray(resource) ? (resource as SelectorArgs) : [resource]);
  return { selector, patterns: fields.map(parseFieldPath) };
}

interface RedactionRule {
  readonly selector: ResourceSelector;
  readonly patterns: readonly FieldPattern[];
}

const NOTHING: readonly FieldPattern[] = [];

/** The pattern of paths of requests for objects, with the group, the version, and the plural name. */
const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/?]+)/;

/**
 * The redaction of objects, patches, and diffs: it removes all values of Secrets, and the fields of other resources that the settings name.
 * Of objects with such fields, annotations are removed, too, as they can have copies.
 */
export class Redactor {
  private readonly known = new Map<string, Resource>();
  private patterns = new WeakMap<Resource, readonly FieldPattern[]>();
  private rules: readonly RedactionRule[] = [];
  private source?: readonly RedactedFields[];

  /** @param settings the settings; they are read at each use, as handlers of the startup may change them. */
  constructor(private readonly settings: { readonly fields: readonly RedactedFields[] } = { fields: [] }) {}

  /** Adds resources, so that requests for them are recognised by any of the names that the settings can have for them. */
  learn(resources: readonly Resource[]): void {
    if (this.settings.fields.length === 0) return;
    for (const resource of resources) this.known.set(resourceKey(resource), resource);
  }

  /** Redacts an object of the resource. */
  object(resource: Resource, object: unknown): unknown {
    return redactObject(object, this.patternsOf(resource));
  }

  /** Redacts a patch of such an object. */
  patch(resource: Resource, patch: unknown): unknown {
    return redactPatch(patch, this.patternsOf(resource));
  }

  /** Redacts a diff of such an object. */
  diff(resource: Resource, diff: ObjectDiff): unknown {
    return redactDiff(diff, this.patternsOf(resource));
  }

  /** Checks whether objects of the resource have redacted fields, so that texts of errors can contain their values. */
  protects(resource: Resource): boolean {
    return this.patternsOf(resource).length > 0;
  }

  /** Checks whether a request is about objects with redacted fields, so that texts of responses can contain their values. */
  protectsPath(path: string): boolean {
    const [, group = '', version, plural] = PATH.exec(path) ?? [];
    if (plural === undefined) return false;
    const resource =
      this.known.get(resourceKey({ group, version, plural })) ?? partialResource({ group, version, plural });
    return this.protects(resource);
  }

  private patternsOf(resource: Resource): readonly FieldPattern[] {
    if (resource.group === '' && resource.plural === 'secrets') return SECRET_FIELDS;
    const { fields } = this.settings;
    if (fields.length === 0) return NOTHING;
    if (fields !== this.source) this.parse(fields);
    const found = this.patterns.get(resource) ?? this.find(resource);
    this.patterns.set(resource, found);
    return found;
  }

  private parse(fields: readonly RedactedFields[]): void {
    this.rules = fields.map(parseRedactedFields);
    this.patterns = new WeakMap();
    this.source = fields;
  }

  private find(resource: Resource): readonly FieldPattern[] {
    // A rule without a version is for all versions, not only for the preferred one.
    const any = { ...resource, preferred: true };
    const patterns = this.rules.filter(({ selector }) => selector.check(any)).flatMap((rule) => rule.patterns);
    return patterns.length > 0 ? [...patterns, ANNOTATIONS] : NOTHING;
  }
}

/** Creates a resource with the parts that are known from the path of a request. */
function partialResource(identity: ResourceIdentity): Resource {
  const unknown = { shortNames: [], categories: [], subresources: [], verbs: [], namespaced: true, preferred: true };
  return { ...identity, ...unknown, kind: '', singular: '' };
}
