// #region imports
import { Controller, Get, Injectable, Post } from '@nestjs/common';
import { KopfOperator, KopfPeering, OnCreate, type KopfModuleOptions } from 'nestjs-kopf';
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
