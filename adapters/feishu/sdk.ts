/** Of the SDK's 150,000 lines the two that are used. Named here one by one, so that a bundle drops the others. */
export { EventDispatcher, LoggerLevel, WSClient } from '@larksuiteoapi/node-sdk'
