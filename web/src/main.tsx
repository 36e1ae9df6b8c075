import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from './api/http.js'
import { App } from './app.js'
import './styles/mantine.js'

// The script in the head reads the same key before the first paint.
const colors = localStorageColorSchemeManager({ key: 'golem.color-scheme' })

const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
})

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A daemon that said no means it; one that was not reached is asked again.
      retry: (times, error) => error instanceof ApiError && error.status === 0 && times < 3,
      refetchOnWindowFocus: true,
      staleTime: 2_000,
    },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    {/* Styles come from files alone, so that the page runs under a policy that allows no inline style sheet. */}
    <MantineProvider
      theme={theme}
      colorSchemeManager={colors}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
