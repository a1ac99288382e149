// #region imports
import { Controller, Get, Injectable, Post } from '@nestjs/common';
import { KopfOperator, KopfPeering, OnCreate, OnUpdate, type ChangeContext, type KopfModuleOptions } from 'nestjs-kopf';
// #endregion

// #region lease
export const replicas: KopfModuleOptions = {
  coordination: 'lease',
  lease: { name: 'my-operator', namespace: 'default' },
};
// #endregion

// #region operator
@Injectable()
export class DiskOperator {
  @OnCreate('disks.example.com')
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

  @OnUpdate('disks.example.com')
  backup({ name, signal }: ChangeContext) {
    return this.backups.make(name, { signal });
  }
}
// #endregion

// #region priorities
export const inProduction: KopfModuleOptions = { peering: { priority: 0, mandatory: true } };

export const onALaptop: KopfModuleOptions = { peering: { priority: 666, lifetime: 30 } };
// #endregion

// #region pause
@Controller('operator')
export class PauseController {
  constructor(
    private readonly operator: KopfOperator,
    private readonly peering: KopfPeering,
  ) {}

  @Post('pause')
  pause() {
    this.operator.pause('It is maintained.');
  }

  @Post('resume')
  resume() {
    this.operator.resume();
  }

  @Get()
  status() {
    const { paused, reasons } = this.operator.pauseStatus;
    return { paused, reasons, peers: this.peering.peers.map(({ identity, priority }) => `${identity}: ${priority}`) };
  }
}
// #endregion
