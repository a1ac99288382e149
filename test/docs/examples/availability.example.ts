// #region imports
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { KopfModule, OnEvent, type EventContext } from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';
// #endregion

// #region default
@Controller('items')
export class ItemsController {
  @Get()
  list() {
    return ['bolts', 'nuts'];
  }
}

@Injectable()
export class ItemsOperator {
  readonly seen: string[] = [];

  @OnEvent('kopfexamples.kopf.dev')
  note({ name }: EventContext) {
    this.seen.push(name);
  }
}

@Module({
  imports: [KopfHealthModule.forRoot({ controller: true }), KopfModule.forRoot()],
  controllers: [ItemsController],
  providers: [ItemsOperator],
})
export class AppModule {}
// #endregion

// #region required
@Module({ imports: [KopfModule.forRoot({ required: true })], providers: [ItemsOperator] })
export class OperatorModule {}
// #endregion
