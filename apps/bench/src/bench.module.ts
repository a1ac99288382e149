import { Module } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { BenchOperator } from './bench.operator.js';

@Module({ imports: [KopfModule.forRoot({ required: true, posting: { enabled: false } })], providers: [BenchOperator] })
export class BenchModule {}
