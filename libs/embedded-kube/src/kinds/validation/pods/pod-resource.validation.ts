import { canonicalQuantity, compareQuantities } from '../../../resources/quantity.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateResourceName, validateResources } from '../resource.validation.js';

const FOR_PODS = ['cpu', 'hugepages-', 'memory'];

/** Checks the limits and requests of a pod as a whole, of which its containers share. */
export function validatePodResources(
  report: FieldReport,
  path: string,
  spec: Values,
  claimNames: ReadonlySet<string>,
): void {
  const resources = structOf(spec['resources']) ?? {};
  const at = `${path}.resources`;
  if (textOf(structOf(spec['os'])?.['name']) === 'windows')
    return report.forbidden(at, 'may not be set for a windows pod');
  if (resources['claims'] !== undefined) {
    report.forbidden(`${at}.claims`, 'claims may not be set for Resources at pod-level');
  }
  validateResources(report, at, resources, claimNames, validatePodResourceName);
  validateShares(report, at, spec, resources);
}

function validatePodResourceName(report: FieldReport, path: string, name: string): void {
  if (!validateResourceName(report, path, name)) return;
  if (!name.startsWith('hugepages-')) report.oneOf(path, name, FOR_PODS);
}

function validateShares(report: FieldReport, path: string, spec: Values, resources: Values): void {
  const containers = itemsOf(spec['containers']);
  for (const [name, quantity] of Object.entries(structOf(resources['requests']) ?? {})) {
    const needed = needOf(containers, itemsOf(spec['initContainers']), name);
    if (needed === undefined || compareQuantities(needed, quantity) <= 0) continue;
    const rule = `must be greater than or equal to aggregate container requests of ${needed}`;
    report.invalid(`${path}.requests[${name}]`, canonicalQuantity(quantity), rule);
  }
  const limits = structOf(resources['limits']) ?? {};
  for (const [index, container] of containers.entries()) {
    const own = structOf(structOf(container['resources'])?.['limits']) ?? {};
    for (const [name, limit] of Object.entries(own)) {
      if (limits[name] === undefined || compareQuantities(limit, limits[name]) <= 0) continue;
      const rule = `must be less than or equal to pod limits of ${canonicalQuantity(limits[name])}`;
      report.invalid(`${path}.containers[${index}][${name}].limits`, canonicalQuantity(limit), rule);
    }
  }
}

/** Returns the most that the containers of a pod request at a time; `undefined` if none requests any of it. */
function needOf(containers: readonly Values[], initial: readonly Values[], name: string): string | undefined {
  const requestOf = (container: Values): unknown => structOf(structOf(container['resources'])?.['requests'])?.[name];
  const all = [...containers, ...initial].map(requestOf).filter((each) => each !== undefined);
  if (all.length === 0) return undefined;
  const size = (container: Values): number => compareQuantities(requestOf(container), '0');
  const lasting = initial.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const sum = [...containers, ...lasting].reduce((total, each) => total + size(each), 0);
  const first = initial.filter(({ restartPolicy }) => restartPolicy !== 'Always');
  const most = Math.max(sum, ...first.map(size));
  const unit = all.find((each) => compareQuantities(each, String(most)) === 0);
  return unit === undefined ? canonicalQuantity(`${Math.round(most * 1000)}m`) : canonicalQuantity(unit);
}
