import { Module } from '@nestjs/common';
import { KopfHealthModule } from 'nestjs-kopf/health';
import { ProbesOperator } from './probes.operator.js';

/** The operator with the endpoints of its health. */
@Module({ imports: [KopfHealthModule.forRoot({ controller: true })], providers: [ProbesOperator] })
export class ProbesModule {}
