import { Module } from '@nestjs/common';
import { ItemsController } from './items.controller.js';
import { ItemsOperator } from './items.operator.js';
import { ItemsService } from './items.service.js';

@Module({ controllers: [ItemsController], providers: [ItemsService, ItemsOperator] })
export class ItemsModule {}
