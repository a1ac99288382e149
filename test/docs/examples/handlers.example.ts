// #region imports
import { Inject, Injectable, Module } from '@nestjs/common';
import {
  KopfModule,
  KopfRegistry,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  TemporaryError,
  type ChangeContext,
  type EventContext,
  type FieldContext,
  type HandlerRegistration,
} from 'nestjs-kopf';
// #endregion

// #region changes
interface Spec {
  tier?: string;
}

@Injectable()
export class ChangeOperator {
  @OnCreate('disks.example.com')
  create({ name, spec, logger }: ChangeContext<Spec>) {
    logger.log(`${name} is new, with ${spec.tier}.`);
  }

  @OnUpdate('disks.example.com')
  update({ diff, logger }: ChangeContext<Spec>) {
    for (const [operation, path, before, after] of diff) {
      logger.log(`${operation} ${path.join('.')}: ${before} -> ${after}`);
    }
  }

  @OnDelete('disks.example.com')
  release({ name, logger }: ChangeContext<Spec>) {
    logger.log(`${name} is going.`);
  }
}
// #endregion

// #region interrupted
@Injectable()
export class MovingOperator {
  @OnCreate('disks.example.com', { abortOn: 'change' })
  async move({ spec, signal }: ChangeContext<Spec>) {
    await fetch(`http://storage.example.com/${spec.tier}`, { method: 'POST', signal });
  }
}
// #endregion

// #region optional
@Injectable()
export class OptionalOperator {
  @OnDelete('disks.example.com', { optional: true })
  release({ name, logger }: ChangeContext<Spec>) {
    logger.log(`${name} is going.`);
  }
}
// #endregion

// #region resume
@Injectable()
export class ConnectionOperator {
  readonly connections = new Map<string, string>();

  @OnResume('disks.example.com')
  @OnCreate('disks.example.com')
  connect({ uid, name, reason }: ChangeContext<Spec>) {
    this.connections.set(uid, `${name}, because of ${reason}`);
  }

  @OnDelete('disks.example.com')
  disconnect({ uid }: ChangeContext<Spec>) {
    this.connections.delete(uid);
  }
}
// #endregion

// #region field
@Injectable()
export class FieldOperator {
  @OnField('disks.example.com', { field: 'spec.tier' })
  follow({ old, new: now, logger }: FieldContext<string, Spec>) {
    logger.log(`The tier was ${old} and is ${now}.`);
  }
}
// #endregion

// #region event
@Injectable()
export class SpyOperator {
  @OnEvent('pods.v1')
  seen({ type, name, logger }: EventContext) {
    logger.log(`${type ?? 'LISTED'} ${name}`);
  }
}
// #endregion

// #region results
@Injectable()
export class ResultsOperator {
  @OnCreate('disks.example.com')
  count() {
    return 100;
  }

  @OnCreate('disks.example.com')
  async describe({ name }: ChangeContext) {
    return { title: `This is ${name}`, since: new Date(0), unknown: undefined };
  }
}
// #endregion

// #region exchange
interface Status {
  makeVolume?: { name: string };
}

@Injectable()
export class ExchangeOperator {
  @OnCreate('disks.example.com')
  makeJob({ status }: ChangeContext<unknown, Status>) {
    const volume = status.makeVolume?.name;
    if (!volume) throw new TemporaryError('There is no volume yet.', { delay: 10 });
    return { name: `job-with-${volume}` };
  }

  @OnCreate('disks.example.com')
  makeVolume({ name }: ChangeContext<unknown, Status>) {
    return { name: `volume-of-${name}` };
  }
}
// #endregion

// #region added
interface PartsSpec {
  items: readonly string[];
}

@Injectable()
export class ItemsOperator {
  @OnCreate('disks.example.com')
  create({ spec, subhandler }: ChangeContext<PartsSpec>) {
    for (const item of spec.items) {
      subhandler(item, ({ logger }) => {
        logger.log(`The item ${item} is made.`);
        return `done with ${item}`;
      });
    }
  }
}
// #endregion

// #region executed
@Injectable()
export class StepsOperator {
  @OnCreate('disks.example.com')
  async create({ execute, logger }: ChangeContext<PartsSpec>) {
    await execute({ first: this.makeFirst, second: this.makeSecond });
    logger.log('Both are made.');
  }

  private makeFirst({ retry }: ChangeContext<PartsSpec>) {
    if (retry < 2) throw new TemporaryError('Not yet.', { delay: 10 });
  }

  private makeSecond({ retry }: ChangeContext<PartsSpec>) {
    if (retry < 6) throw new TemporaryError('Not yet.', { delay: 10 });
  }
}
// #endregion

// #region part-options
@Injectable()
export class OptionsOperator {
  @OnUpdate('disks.example.com')
  update({ subhandler }: ChangeContext<PartsSpec>) {
    subhandler('resize', ({ old, new: size, logger }) => logger.log(`From ${old} to ${size}.`), {
      field: 'spec.size',
      retries: 5,
      backoff: 10,
    });
  }
}
// #endregion

// #region prefix
@Injectable()
export class InvoicesOperator {
  @OnCreate('disks.example.com')
  create() {
    return 'invoiced';
  }
}

@Module({ imports: [KopfModule.forFeature({ idPrefix: 'billing' })], providers: [InvoicesOperator] })
export class BillingModule {}

@Injectable()
export class ParcelsOperator {
  @OnCreate('disks.example.com')
  create() {
    return 'sent';
  }
}

@Module({ imports: [KopfModule.forFeature({ idPrefix: 'shipping' })], providers: [ParcelsOperator] })
export class ShippingModule {}
// #endregion

// #region stacked
@Injectable()
export class StackedOperator {
  @OnCreate('disks.example.com', { retries: 10 })
  @OnCreate('disks.example.com', { retries: 3, labels: { urgent: 'yes' } })
  create({ name, logger }: ChangeContext<Spec>) {
    logger.log(`${name} is tried 3 times if it is urgent, or 10 times.`);
  }
}
// #endregion

// #region late
@Injectable()
export class PluginService {
  private registration?: HandlerRegistration;

  constructor(@Inject(KopfRegistry) private readonly registry: KopfRegistry) {}

  enable(group: string) {
    this.registration = this.registry.add(
      OnCreate(`widgets.${group}`, { id: 'created' }),
      ({ name }: ChangeContext) => {
        console.log(`${name} is new.`);
      },
    );
  }

  disable() {
    this.registration?.remove();
  }
}
// #endregion
