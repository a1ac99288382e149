import { mapping } from '../../common/json.values.js';
import type { Random } from 'kube-common';
import { textsOf } from '../../kinds/validation/field.report.js';
import { addressOf } from '../../kinds/validation/text.rules.js';
import type { ObjectStore } from '../../storage/object.store.js';

/** The range that exists without any ServiceCIDR. */
const DEFAULT_RANGE = '10.96.0.0/16';
const RANGES = 'servicecidrs.networking.k8s.io';

/** The addresses that services can have: those of the default range and of further ServiceCIDRs. */
export class AddressPool {
  constructor(
    private readonly store: ObjectStore,
    private readonly random: Random,
  ) {}

  /** Describes why a service cannot have an address; `undefined` if it can. */
  problemWith(address: string): string | undefined {
    const number = numberOf(address);
    const isInside = this.ranges().some(([first, last]) => number > first && number < last);
    if (!isInside) return 'the provided network does not match the current range';
    return this.taken().has(addressOf(address)!) ? 'provided IP is already allocated' : undefined;
  }

  /** Returns an address of the default range that no service has. The first 256 are left to services that ask for one. */
  next(): string {
    const taken = this.taken();
    const [first, last] = bounds(DEFAULT_RANGE);
    const count = last - first - 257;
    const start = Math.floor(this.random.next() * count);
    for (let index = 0; index < count; index += 1) {
      const address = textOfNumber(first + 257 + ((start + index) % count));
      if (!taken.has(address)) return address;
    }
    throw new Error('All addresses of services are taken');
  }

  private taken(): Set<unknown> {
    const services = this.store.collection('services').list();
    return new Set(services.map(({ object }) => mapping(object['spec'])['clusterIP']));
  }

  private ranges(): [number, number][] {
    const added = this.store
      .collection(RANGES)
      .list()
      .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
      .flatMap(({ object }) => textsOf(mapping(object['spec'])['cidrs']));
    return [DEFAULT_RANGE, ...added.filter((range) => !range.includes(':'))].map(bounds);
  }
}

/** Returns the first and the last address of a range, which no service can have. */
function bounds(range: string): [number, number] {
  const [address = '', bits = ''] = range.split('/');
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(numberOf(address) / size) * size;
  return [first, first + size - 1];
}

function numberOf(address: string): number {
  const parts = (addressOf(address) ?? '').split('.').map(Number);
  return parts.length === 4 ? parts.reduce((number, part) => number * 256 + part, 0) : -1;
}

function textOfNumber(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
