import { Module } from '@nestjs/common';
import { KopfModule } from 'nestjs-kopf';
import { WebsiteOperator } from './website.operator.js';

@Module({ imports: [KopfModule.forRoot({ required: true })], providers: [WebsiteOperator] })
export class AppModule {}
