package import HTTPAPI
import ProxyControl

extension ControlError: ErrorWithAPIError {
    /// What it means to the client.
    package var apiError: APIError {
        let status =
            switch reason {
            case .nameTaken, .addressInUse, .linkInUse: 409
            case .noSuchListener, .noSuchLink: 404
            case .badField, .addressNotAvailable: 400
            case .notPermitted: 403
            case .badCall, .failed: 500
            }
        return APIError(status, description, field: field)
    }
}
