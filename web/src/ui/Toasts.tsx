import { Notification } from '@mantine/core'
import { useStore } from '../state/store.js'
import { dismiss, toasts } from '../state/toasts.js'

/** What failed, in the daemon's own words. */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <div className="toasts" role="alert" aria-live="assertive">
      {shown.map((toast) => (
        <Notification
          key={toast.id}
          color="red"
          title={toast.title}
          onClose={() => dismiss(toast.id)}
          closeButtonProps={{ 'aria-label': 'Dismiss' }}
          withBorder
        >
          {toast.text}
        </Notification>
      ))}
    </div>
  )
}
