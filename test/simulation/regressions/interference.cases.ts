import { Inject, Injectable } from '@nestjs/common';
import {
  adopt,
  ApiConflictError,
  ApiNotFoundError,
  KOPF_CLOCK,
  KubeClient,
  OnCreate,
  TemporaryError,
  type ChangeContext,
  type Clock,
  type KubeObject,
} from 'nestjs-kopf';
import { claim, CLAIMS, type RegressionCase, secret } from './regression.case.js';

/** Work that is under way is known by the name of its object: another object of the same name is taken for it. */
@Injectable()
class BusyByName {
  private readonly busy = new Set<string>();

  constructor(
    @Inject(KubeClient) private readonly kube: KubeClient,
    @Inject(KOPF_CLOCK) private readonly clock: Clock,
  ) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create(context: ChangeContext) {
    const key = this.keyOf(context);
    if (this.busy.has(key)) return;
    this.busy.add(key);
    try {
      await this.kube.apply(this.diskOf(context), { fieldManager: 'disks', force: true });
      // Formatting the disk takes a while.
      await new Promise<void>((resolve) => void this.clock.setTimer(resolve, 1000));
    } finally {
      this.busy.delete(key);
    }
  }

  protected keyOf({ name }: ChangeContext): string {
    return name;
  }

  protected diskOf({ name }: ChangeContext): KubeObject {
    return adopt(secret(`disk-${name}`));
  }
}

@Injectable()
class BusyByIdentity extends BusyByName {
  protected override keyOf({ uid }: ChangeContext): string {
    return uid;
  }

  /**
   * Makes a disk without an owner: a request of a call for the object before can come late, when its answer was lost. It would give the disk
   * back to that object, which is gone, so that the disk would go, too.
   */
  protected override diskOf({ name }: ChangeContext): KubeObject {
    return secret(`disk-${name}`);
  }
}

/** A step needs what the step before it has made, and waits for it without end if another client has deleted it. */
@Injectable()
class WaitsForPart {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  /** Creates the part. It has no owner, as a request that comes late could give it back to an object that is gone, as above. */
  @OnCreate('configmaps.v1', CLAIMS)
  async create({ name }: ChangeContext) {
    await this.kube.apply(secret(`disk-${name}`, { size: '1' }), { fieldManager: 'disks', force: true });
  }

  @OnCreate('configmaps.v1', CLAIMS)
  async format({ name }: ChangeContext) {
    await this.kube.patch('secrets.v1', `disk-${name}`, { stringData: { formatted: 'yes' } });
  }
}

@Injectable()
class MakesPartAgain extends WaitsForPart {
  @OnCreate('configmaps.v1', CLAIMS)
  override async format(context: ChangeContext) {
    try {
      await super.format(context);
    } catch (error) {
      if (!(error instanceof ApiNotFoundError)) throw error;
      await this.create(context);
      await super.format(context);
    }
  }
}

/** A disk that is there already is taken for one that a call before has made. */
@Injectable()
class TakesWhatIsThere {
  constructor(@Inject(KubeClient) protected readonly kube: KubeClient) {}

  @OnCreate('configmaps.v1', CLAIMS)
  async create(context: ChangeContext) {
    try {
      await this.kube.create(adopt(secret(`disk-${context.name}`)));
    } catch (error) {
      if (!(error instanceof ApiConflictError)) throw error;
      await this.onExisting(context);
    }
  }

  protected async onExisting(_context: ChangeContext): Promise<void> {}
}

/** Waits until the disk of another object is gone: of one that had the same name. */
@Injectable()
class LooksAtTheOwner extends TakesWhatIsThere {
  protected override async onExisting({ name, uid }: ChangeContext): Promise<void> {
    const { items } = await this.kube.list('secrets.v1', { namespace: 'default' });
    const disk = items.find(({ metadata }) => metadata.name === `disk-${name}`);
    if (disk?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return;
    throw new TemporaryError('The disk of another object is still to go.', { delay: 1 });
  }
}

const workload: RegressionCase['options']['workload'] = async (kube) => {
  await kube.apply(claim);
  await kube.settled();
};

/** Bugs that need an action of another client on an object at the same time. */
export const INTERFERENCE: readonly RegressionCase[] = [
  {
    name: 'an object that is not looked after, as one of the same name was',
    seenIn: 'ai-dynamo/grove#783',
    pattern: 'interference',
    bug: BusyByName,
    fixed: BusyByIdentity,
    check: 'final-state',
    faults: [{ kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a', afterChange: 2 }],
    options: { workload },
  },
  {
    name: 'a step that never ends, as it waits for a part that another client has deleted',
    seenIn: 'cscetbon/casskop#185',
    pattern: 'interference',
    bug: WaitsForPart,
    fixed: MakesPartAgain,
    check: 'convergence',
    faults: [{ kind: 'drift', resource: 'secrets', namespace: 'default', name: 'disk-a', afterChange: 2 }],
    options: { workload },
  },
  {
    name: 'a child that is there already, but is about to go with another owner',
    seenIn: 'cilium/cilium#43635',
    pattern: 'interference',
    bug: TakesWhatIsThere,
    fixed: LooksAtTheOwner,
    check: 'final-state',
    faults: [{ kind: 'late-collection', afterChange: 0 }],
    options: {
      workload: async (kube) => {
        await workload(kube);
        await kube.recreate(claim);
        await kube.settled();
      },
    },
  },
];
