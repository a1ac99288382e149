import { mapping } from '../common/json.values.js';
import type { Random } from '../common/random.js';
import type { ObjectStore } from '../storage/object.store.js';
import type { AdmissionPlugin } from './admission.plugin.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';

/** The first two numbers of the addresses of services. */
const NETWORK = '10.96';

/** Gives services their addresses, and keeps them. */
export class ServiceAddressPlugin implements AdmissionPlugin {
  readonly name = 'ServiceAddress';

  constructor(
    private readonly store: ObjectStore,
    private readonly random: Random,
  ) {}

  admit({ served, subresource, object, previous }: AdmissionAttributes): void {
    if (served.storageKey !== 'services' || !object || subresource) return;
    const spec = mapping(object['spec']);
    if (spec['type'] === 'ExternalName') return;
    const clusterIP = spec['clusterIP'] ?? mapping(previous?.['spec'])['clusterIP'] ?? this.freeAddress();
    object['spec'] = {
      ...spec,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: spec['ipFamilies'] ?? ['IPv4'],
      ipFamilyPolicy: spec['ipFamilyPolicy'] ?? 'SingleStack',
    };
  }

  private freeAddress(): string {
    const taken = new Set(
      this.store
        .collection('services')
        .list()
        .map(({ object }) => mapping(object['spec'])['clusterIP']),
    );
    const start = Math.floor(this.random.next() * 65_000);
    for (let index = 0; index < 65_000; index += 1) {
      const number = 257 + ((start + index) % 65_000);
      const address = `${NETWORK}.${number >> 8}.${number & 255}`;
      if (!taken.has(address)) return address;
    }
    throw new Error('All addresses of services are taken');
  }
}
