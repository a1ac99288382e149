import { mapping } from '../../common/json.values.js';
import type { Random } from 'kube-common';
import { invalid } from '../../errors/status.errors.js';
import { FieldReport, textsOf } from '../../kinds/validation/field.report.js';
import type { AdmissionAttributes } from '../../machinery/write.admission.js';
import type { Draft, KubeObject } from '../../resources/kube-object.js';
import type { ObjectStore } from '../../storage/object.store.js';
import type { AdmissionPlugin } from '../admission.plugin.js';
import { AddressPool } from './address.pool.js';
import { completeFamilies, completeAddresses, keepsFamilies } from './address.families.js';
import { allocatePorts, keepPorts } from './node.ports.js';
import { PortPool } from './port.pool.js';
import type { ServiceSpec } from './service.fields.js';

/**
 * The plugin that gives services their addresses and the ports of nodes, keeps what they have, and rejects what is out of range or taken.
 * The last of the plugins that change objects, as the real server allocates after admission.
 */
export class ServiceAddressPlugin implements AdmissionPlugin {
  readonly name = 'ServiceAddress';

  constructor(
    private readonly store: ObjectStore,
    private readonly random: Random,
  ) {}

  admit({ served, subresource, object, previous, dryRun }: AdmissionAttributes): void {
    if (served.storageKey !== 'services' || !object || subresource) return;
    if (previous && isOutdated(object, previous)) return;
    const spec: ServiceSpec = { ...mapping(object['spec']) };
    object['spec'] = spec;
    const old = previous && (mapping(previous['spec']) as ServiceSpec);
    const report = new FieldReport();
    const assertValid = (): void => {
      if (report.errors.length === 0) return;
      throw invalid({ group: '', name: 'Service' }, object.metadata.name ?? '', report.errors);
    };
    if (old) keepPorts(spec, old);
    completeAddresses(spec, old);
    if (!keepsFamilies(spec, old)) {
      completeFamilies(report, spec, old);
      assertValid();
      this.allocateAddress(report, spec, old);
      assertValid();
    }
    allocatePorts(report, spec, old, new PortPool(this.store, this.random, dryRun));
    assertValid();
  }

  private allocateAddress(report: FieldReport, spec: ServiceSpec, old: ServiceSpec | undefined): void {
    const hasAddress = old && old.type !== 'ExternalName';
    if (hasAddress || spec.type === 'ExternalName' || spec.clusterIPs?.[0] === 'None') return;
    const pool = new AddressPool(this.store, this.random);
    const [requested] = textsOf(spec.clusterIPs);
    const problem = requested === undefined ? undefined : pool.problemWith(requested);
    if (problem) report.invalid('spec.clusterIPs', spec.clusterIPs, `failed to allocate IP ${requested}: ${problem}`);
    const address = requested ?? pool.next();
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }
}

/** Whether a write will be refused, as it names another version than the stored one: nothing is allocated for it. */
function isOutdated({ metadata: { resourceVersion } }: Draft, { metadata }: KubeObject): boolean {
  return !!resourceVersion && resourceVersion !== '0' && resourceVersion !== metadata.resourceVersion;
}
