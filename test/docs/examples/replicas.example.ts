// #region imports
import { Injectable } from '@nestjs/common';
import { OnCreate, OnUpdate, type ChangeContext, type KopfModuleOptions } from 'nestjs-kopf';
// #endregion

// #region lease
export const replicas: KopfModuleOptions = {
  coordination: 'lease',
  lease: { name: 'my-operator', namespace: 'default' },
};
// #endregion

// #region operator
@Injectable()
export class ExampleOperator {
  @OnCreate('kopfexamples.kopf.dev')
  create() {
    return 'created';
  }
}
// #endregion

// #region signal
export abstract class Backups {
  abstract make(name: string, options: { signal: AbortSignal }): Promise<string>;
}

@Injectable()
export class BackupOperator {
  constructor(private readonly backups: Backups) {}

  @OnUpdate('kopfexamples.kopf.dev')
  backup({ name, signal }: ChangeContext) {
    return this.backups.make(name, { signal });
  }
}
// #endregion
