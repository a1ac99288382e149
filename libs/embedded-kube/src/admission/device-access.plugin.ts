import { mapping } from '../common/json.values.js';
import { forbiddenField } from '../errors/field.error.js';
import { invalid } from '../errors/status.errors.js';
import { itemsOf, structOf } from '../kinds/validation/field.report.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import { storedKindName } from '../resources/served.resource.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const LABEL = 'resource.kubernetes.io/admin-access';
const CLAIMS = 'resourceclaims.resource.k8s.io';
const TEMPLATES = 'resourceclaimtemplates.resource.k8s.io';

/** The plugin that gives access to devices that others use only in namespaces with a label of their administrator. */
export class DeviceAccessPlugin implements AdmissionPlugin {
  readonly name = 'DeviceAccess';

  constructor(private readonly store: ObjectStore) {}

  validate({ served, subresource, namespace, object, previous }: AdmissionAttributes): void {
    if (!object || (served.storageKey !== CLAIMS && served.storageKey !== TEMPLATES)) return;
    if (subresource === 'status' ? requestedOf(previous, subresource) : previous) return;
    const path = requestedOf(object, subresource);
    if (!path) return;
    const labels = this.store.collection('namespaces').get('', namespace)?.object.metadata.labels;
    if (labels?.[LABEL] === 'true') return;
    const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
    throw invalid(storedKindName(served), object.metadata.name ?? '', [forbiddenField(path, detail)]);
  }
}

/** Returns the path of the first demand for such access, as the real server shows it. */
function requestedOf(object: unknown, subresource: string | undefined): string | undefined {
  const { spec, status } = mapping(object);
  if (subresource === 'status') {
    const results = itemsOf(mapping(mapping(mapping(status)['allocation'])['devices'])['results']);
    const index = results.findIndex(({ adminAccess }) => adminAccess === true);
    return index < 0 ? undefined : `status.allocation.devices.results[${index}].adminAccess`;
  }
  const { devices } = structOf(mapping(spec)['spec']) ?? mapping(spec);
  const requests = itemsOf(mapping(devices)['requests']);
  const index = requests.findIndex(({ exactly }) => mapping(exactly)['adminAccess'] === true);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}
