import { metadataOf, toList, type Dependant, type Dependants, requireOwner } from './owner-references.js';

/** The options of setting labels. */
export interface LabelOptions {
  /** Whether labels are overwritten that the object has already. @default false */
  forced?: boolean;
  /**
   * Paths of nested templates that get the labels, too, where they exist: `'spec.template'` of a deployment,
   * `['spec.jobTemplate', 'spec.jobTemplate.spec.template']` of a cron job. Of a list of templates, all get them:
   * `'spec.volumeClaimTemplates'` of a stateful set.
   */
  nested?: string | readonly string[];
}

/**
 * Sets labels on the objects.
 *
 * @param labels the labels; left out, those of the object that is being handled.
 */
export function label(
  objects: Dependants,
  labels?: Readonly<Record<string, string>>,
  options: LabelOptions = {},
): void {
  const wanted = labels ?? requireOwner(undefined).metadata.labels ?? {};
  const { forced = false, nested = [] } = options;
  const paths = typeof nested === 'string' ? [nested] : nested;
  for (const object of toList(objects)) {
    setLabels(object, wanted, forced);
    for (const path of paths) {
      for (const template of toList(resolveTemplates(object, path.split('.')))) setLabels(template, wanted, forced);
    }
  }
}

function setLabels(object: Dependant, labels: Readonly<Record<string, string>>, forced: boolean): void {
  if (Object.keys(labels).length === 0) return;
  const metadata = metadataOf(object);
  metadata.labels = forced ? { ...metadata.labels, ...labels } : { ...labels, ...metadata.labels };
}

function resolveTemplates(object: object, path: readonly string[]): Dependants | undefined {
  let current: unknown = object;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return typeof current === 'object' && current !== null ? (current as Dependants) : undefined;
}
