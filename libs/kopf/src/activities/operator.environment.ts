import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from 'kube-common';
import type { ActivityEnvironment } from '../contexts/activity-handler.context.js';
import type { Indices } from '../contexts/indices.interface.js';
import { IndexRegistry } from '../indexing/index.registry.js';
import { InjectOwn, KOPF_CLOCK } from '../kopf.tokens.js';
import { KopfSettings } from '../settings/kopf.settings.js';
import { OperatorMemo } from './operator.memo.js';

/** The members that the contexts of all activities share, with their values at the time of the call. */
@Injectable()
export class OperatorEnvironment implements ActivityEnvironment {
  constructor(
    @InjectOwn(KopfSettings) readonly settings: KopfSettings,
    @Inject(OperatorMemo) private readonly operatorMemo: OperatorMemo,
    @InjectOwn(IndexRegistry) private readonly kopfIndices: IndexRegistry,
    @InjectOwn(KOPF_CLOCK) readonly clock: Clock,
  ) {}

  get memo(): unknown {
    return this.operatorMemo.current;
  }

  get indices(): Indices {
    return this.kopfIndices.all;
  }
}
