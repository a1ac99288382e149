// #region imports
import { Controller, Get, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { KopfInspectionModule, KopfInspector, type FailureGroup, type OperatorEvent } from 'nestjs-kopf/inspection';
// #endregion

// #region failures
/** Tells the team's dashboard which objects fail, and why. */
@Controller('failures')
export class FailuresController {
  constructor(private readonly inspector: KopfInspector) {}

  @Get()
  async list(): Promise<readonly FailureGroup[]> {
    return (await this.inspector.now()).failing;
  }
}

@Module({ imports: [KopfInspectionModule.forRoot(), KopfModule.forRoot()], controllers: [FailuresController] })
export class AppModule {}
// #endregion

// #region readings
/** Measures what the team's own monitoring wants to know. */
@Injectable()
export class OperatorGauges implements OnModuleInit {
  slowest = 0;

  constructor(private readonly inspector: KopfInspector) {}

  onModuleInit() {
    this.inspector.readings
      .stream()
      .on('handlerEnd', ({ duration = 0 }) => (this.slowest = Math.max(this.slowest, duration)));
  }

  read() {
    const { readings } = this.inspector;
    const { state, objects } = readings.status();
    const waiting = readings.queues().reduce((sum, queue) => sum + queue.waiting, 0);
    return { state, objects, waiting, slowest: this.slowest };
  }
}
// #endregion

// #region observer
/** Keeps the texts of what the operator does, from the start of the application. */
@Injectable()
export class OperatorJournal implements OnModuleInit {
  readonly lines: string[] = [];

  constructor(private readonly inspector: KopfInspector) {}

  onModuleInit() {
    this.inspector.subscribe({
      log: (event: OperatorEvent) => this.lines.push(event.text),
      changed: () => {},
      changedObject: () => {},
    });
  }
}
// #endregion

@Module({ imports: [KopfInspectionModule.forRoot(), KopfModule.forRoot()], providers: [OperatorJournal] })
export class JournalModule {}

@Module({ imports: [KopfInspectionModule.forRoot(), KopfModule.forRoot()], providers: [OperatorGauges] })
export class GaugesModule {}
