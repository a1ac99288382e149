// #region imports
import { Injectable } from '@nestjs/common';
import {
  ABSENT,
  allOf,
  anyOf,
  not,
  OnCreate,
  OnDelete,
  OnUpdate,
  PRESENT,
  type ChangeContext,
  type ChangeFilterContext,
} from 'nestjs-kopf';
// #endregion

// #region metadata
@Injectable()
export class MetadataOperator {
  @OnCreate('disks.example.com', {
    labels: { app: 'web', tier: PRESENT, paused: ABSENT },
    annotations: { owner: (value) => value !== undefined && value.length > 2 },
  })
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} matches.`);
  }
}
// #endregion

// #region fields
@Injectable()
export class FieldsOperator {
  @OnCreate('disks.example.com', { field: 'spec.tier', value: 'world' })
  hello({ name, logger }: ChangeContext) {
    logger.log(`${name} says hello.`);
  }

  @OnCreate('disks.example.com', { field: ['metadata', 'labels', 'example.com/app'], value: PRESENT })
  labelled({ name, logger }: ChangeContext) {
    logger.log(`${name} has the label.`);
  }

  /** Called for the bucket that was handled, even if the field is gone by now. */
  @OnDelete('disks.example.com', { field: 'spec.bucket' })
  drop({ old, new: bucket, logger }: ChangeContext) {
    logger.log(`The bucket ${bucket ?? old} is not needed any more.`);
  }
}
// #endregion

// #region changes
@Injectable()
export class ChangesOperator {
  /** Keeps objects in sight that do not have the field yet. */
  @OnCreate('disks.example.com')
  create() {}

  @OnUpdate('disks.example.com', { field: 'spec.tier', old: ABSENT, new: PRESENT })
  added({ new: value, logger }: ChangeContext) {
    logger.log(`The tier appeared: ${value}.`);
  }

  @OnUpdate('disks.example.com', { field: 'spec.tier', new: 'ready' })
  ready({ old, logger }: ChangeContext) {
    logger.log(`The tier was ${old} and is ready.`);
  }
}
// #endregion

// #region callbacks
const isLarge = ({ spec }: ChangeFilterContext<{ size?: number }>) => (spec.size ?? 0) > 100;
const isPaused = ({ annotations }: ChangeFilterContext) => annotations.paused === 'yes';
const isLonely = ({ indices }: ChangeFilterContext) => !indices.friends;

@Injectable()
export class CallbacksOperator {
  @OnCreate('disks.example.com', { when: allOf([not(isPaused), anyOf([isLarge, not(isLonely)])]) })
  create({ name, logger }: ChangeContext) {
    logger.log(`${name} is large and not paused.`);
  }
}
// #endregion

// #region sight
@Injectable()
export class SightOperator {
  @OnUpdate('disks.example.com', { labels: { handled: 'yes' } })
  update({ name, logger }: ChangeContext) {
    logger.log(`${name} was updated.`);
  }

  /** Keeps all objects in sight, so that the first labelling is an update. */
  @OnUpdate('disks.example.com')
  watch() {}
}
// #endregion
